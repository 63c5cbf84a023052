import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { UnixMs } from '#schemas/brands';
import type { Observation } from '#schemas/domain';
import { projectPath } from '#schemas/project-root';
import { readContainer, type ReadOptions } from '../container/container-reader';
import { ContainerWriter } from '../container/container-writer';
import { entryTypeOf, type EntryType } from '../container/entry-type';

export const observationsName = 'observations.avro';

/** What really happened, as a producer reported it. */
export interface RecordedObservation {
  /** The broker's append time. */
  readonly appendedAt: UnixMs;
  readonly observation: Observation;
}

export const recordedObservationType: EntryType = entryTypeOf({
  type: 'record',
  name: 'RecordedObservation',
  fields: [
    { name: 'appendedAt', type: 'long', doc: "the broker's append time, Unix ms" },
    {
      name: 'observation',
      type: JSON.parse(readFileSync(projectPath('schemas', 'avro', 'observations.avsc'), 'utf8')) as unknown,
    },
  ],
});

/** Beside the rounds of a recording: there whole, or not at all. */
export class ObservationsWriter {
  private readonly container: ContainerWriter<RecordedObservation>;
  private readonly aside: string;
  count = 0;

  constructor(private readonly folder: string) {
    this.aside = join(folder, `${observationsName}.new`);
    rmSync(this.aside, { force: true });
    this.container = ContainerWriter.create(this.aside, recordedObservationType);
  }

  add(observation: RecordedObservation): void {
    this.container.append(observation);
    this.count += 1;
  }

  end(): void {
    this.container.close();
    renameSync(this.aside, join(this.folder, observationsName));
  }

  discard(): void {
    this.container.close();
    rmSync(this.aside, { force: true });
  }
}

/** None where the recording has no such file: it was imported, or made before there were any. */
export function* readObservations(folder: string, options: ReadOptions = {}): Generator<RecordedObservation> {
  const file = join(folder, observationsName);
  if (existsSync(file)) yield* readContainer<RecordedObservation>(file, recordedObservationType, options);
}
