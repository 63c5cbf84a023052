import type { Drill } from './drill';
import { byteDrills } from './drills/bytes';
import { clockDrills } from './drills/clocks';
import { consumerDrills } from './drills/consumers';
import { decisionDrills } from './drills/decisions';
import { diskDrills } from './drills/disks';
import { behindALongJob, engineDrills } from './drills/engine';
import { kills } from './drills/kills';
import { lagDrills } from './drills/lag';
import { processDrills } from './drills/processes';
import { seriesDrills } from './drills/series';
import { serverDrills } from './drills/servers';

/** In the order in which they are run. */
export const drills: readonly Drill[] = [
  // Before the model that fails as it is told to has ever answered: a fast one that is slow once is taken for one that hangs.
  behindALongJob,
  ...seriesDrills,
  ...decisionDrills,
  ...engineDrills,
  ...consumerDrills,
  ...lagDrills,
  ...byteDrills,
  ...clockDrills,
  ...serverDrills,
  ...kills,
  ...processDrills,
  ...diskDrills,
];
