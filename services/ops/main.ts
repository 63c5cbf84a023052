import { runService } from '#lib/service';
import { loadOpsConfig } from './config';
import { startOps } from './start-ops';

void runService({ name: 'ops', loadConfig: loadOpsConfig, start: startOps });
