import type { Drill } from './drill';
import { byteDrills } from './drills/bytes';
import { clockDrills } from './drills/clocks';
import { consumerDrills } from './drills/consumers';
import { decisionDrills } from './drills/decisions';
import { diskDrills } from './drills/disks';
import { engineDrills } from './drills/engine';
import { kills } from './drills/kills';
import { lagDrills } from './drills/lag';
import { processDrills } from './drills/processes';
import { seriesDrills } from './drills/series';
import { serverDrills } from './drills/servers';

/** In the order in which they are run. */
export const drills: readonly Drill[] = [
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
