import { runService } from '#lib/service';
import { loadEngineConfig } from './config';
import { engineEvents } from './events';
import { startEngine } from './start-engine';

void runService({
  name: 'engine',
  loadConfig: loadEngineConfig,
  async start({ config, telemetry, onStop }) {
    const engine = await startEngine(config, engineEvents(telemetry));
    onStop('engine', () => engine.stop());
    return {};
  },
});
