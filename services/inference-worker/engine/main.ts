import { runService } from '#lib/service';
import { loadEngineConfig } from './config';
import { confine } from './confine';
import { engineEvents } from './events';
import { startEngine } from './start-engine';

void runService({
  name: 'engine',
  loadConfig: loadEngineConfig,
  async start({ config, telemetry, onStop, send }) {
    const events = engineEvents(telemetry);
    const lacking = confine(config.confinement, process.env, events);
    const environment = {
      all: process.env,
      set: (name: string, value: string) => void (process.env[name] = value),
    };
    const engine = await startEngine(config, events, environment);
    onStop('engine', () => engine.stop());
    const { kind, gpus } = engine.devices;
    send({ type: 'devices', kind, gpus: gpus.map(({ name }) => name), lacking });
    return {};
  },
});
