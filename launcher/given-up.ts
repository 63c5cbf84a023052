import { configExit, type ProcessEvent } from './processes';

/** Why a run ends that lost one of its processes for good. */
export class GivenUp extends Error {
  readonly exitCode: 1 | 2;

  constructor({ name, reason, logFile }: Extract<ProcessEvent, { kind: 'gaveUp' }>) {
    super(`${name} does not stay up, so the run was ended (the last time: ${reason}). Its log: ${logFile}`);
    this.exitCode = reason === configExit ? 2 : 1;
  }
}
