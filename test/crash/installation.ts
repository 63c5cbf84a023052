import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SchemaStore } from '#schemas/codec/schema-store';
import { singleObjectCodec, type Codec } from '#schemas/codec/single-object';
import { projectPath } from '#schemas/project-root';

export const topics = ['rounds', 'shards', 'outcomes', 'decisions'] as const;
type Topic = (typeof topics)[number];

interface Schema {
  readonly fields: readonly { readonly name: string }[];
}

/** A folder from which services of one version run: its own programs, schemas and package.json. */
export class Installation {
  constructor(readonly root: string) {}

  schema(topic: Topic): Schema {
    return JSON.parse(readFileSync(join(this.root, 'schemas', 'avro', `${topic}.avsc`), 'utf8')) as Schema;
  }

  /** Step 2 of "Changing a schema" (docs/schemas.md): for processes that run. */
  learn(other: Installation, name: string): void {
    for (const topic of topics) {
      const folder = join(this.root, 'schemas', 'avro', 'history', topic);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `${name}.avsc`), JSON.stringify(other.schema(topic)));
    }
  }

  /** Reads what any version known here wrote. */
  codec<T>(topic: Topic): Codec<T> {
    return singleObjectCodec<T>(new SchemaStore(join(this.root, 'schemas', 'avro'), topic));
  }

  mainOf(service: string): string {
    return join(this.root, 'dist', 'services', service, 'main.js');
  }
}

/** This version. What is heavy and the same for both is linked. */
export function installHere(root: string): Installation {
  mkdirSync(join(root, 'build'), { recursive: true });
  mkdirSync(join(root, '.roundhouse'));
  for (const name of ['schemas', 'lib', 'policy', 'services', 'native']) {
    cpSync(projectPath('dist', name), join(root, 'dist', name), { recursive: true });
  }
  for (const name of ['schemas', 'package.json', 'package-lock.json']) {
    cpSync(projectPath(name), join(root, name), { recursive: true });
  }
  for (const name of ['node_modules', 'models', join('build', 'native'), join('.roundhouse', 'toolchain')]) {
    symlinkSync(projectPath(name), join(root, name));
  }
  return new Installation(root);
}

/** The next version: another number, and a field more on each topic, as docs/schemas.md allows. */
export function makeNext(next: Installation, before: Installation): void {
  const packageFile = join(next.root, 'package.json');
  const content = JSON.parse(readFileSync(packageFile, 'utf8')) as object;
  writeFileSync(packageFile, JSON.stringify({ ...content, version: '99.0.0' }));
  next.learn(before, 'before');
  for (const topic of topics) {
    const schema = next.schema(topic);
    const field = { name: 'addedInNext', type: 'string', default: 'next' };
    const file = join(next.root, 'schemas', 'avro', `${topic}.avsc`);
    writeFileSync(file, JSON.stringify({ ...schema, fields: [...schema.fields, field] }));
  }
}
