import { runService } from '#lib/service';
import { loadOpsConfig } from './config';
import { startOps } from './start-ops';

const eventLoopPrecisionMs = 50;

void runService({ name: 'ops', loadConfig: loadOpsConfig, start: startOps, eventLoopPrecisionMs });
