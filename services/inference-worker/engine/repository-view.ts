import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '#lib/make-folder';
import { readRegularFile } from '#lib/regular-file';
import { boundFault, ConfigBeyond } from './config-bounds';

const touched = 'loaded-again';
/** What is not a version. */
const ours: ReadonlySet<string> = new Set(['config.pbtxt', touched]);

function configIn(file: string): Buffer {
  const config = readRegularFile(file);
  const fault = boundFault(config.toString());
  if (fault !== null) throw new ConfigBeyond(file, fault);
  return config;
}

/**
 * The repository as the core sees it: a folder of our own with, for each model, a copy of its configuration
 * and links to the versions that are to be served. So a version that is broken, half written or retired is
 * not there for the core, whatever lies in the repository.
 */
export class RepositoryView {
  private readonly repository: string;

  constructor(
    repository: string,
    readonly folder: string,
  ) {
    this.repository = realpathSync(repository);
    rmSync(folder, { recursive: true, force: true });
    makeFolder(folder, 0o700);
  }

  /**
   * Shows a model with these versions. Its configuration is written anew where the repository's differs. Throws
   * ConfigBeyond, and changes nothing, where that is beyond the limits.
   */
  show(model: string, versions: readonly string[]): void {
    const [from, to] = [join(this.repository, model), join(this.folder, model)];
    const config = configIn(join(from, 'config.pbtxt'));
    mkdirSync(to, { recursive: true });
    for (const name of readdirSync(to)) {
      if (!ours.has(name) && !versions.includes(name)) rmSync(join(to, name), { recursive: true });
    }
    for (const version of versions) this.link(join(from, version), join(to, version));
    this.writeConfig(config, join(to, 'config.pbtxt'));
  }

  remove(model: string): void {
    rmSync(join(this.folder, model), { recursive: true, force: true });
  }

  /**
   * The core loads every version of a model again where a file beside them is newer than when it last looked. A
   * newer configuration is not enough: where it says the same, the core keeps the instances that it has.
   */
  touch(model: string): void {
    const folder = join(this.folder, model);
    if (!existsSync(folder)) return;
    rmSync(join(folder, touched), { force: true });
    writeFileSync(join(folder, touched), '');
  }

  /** Paths of the view in the core's words become those of the repository. */
  named(text: string): string {
    return text.replaceAll(this.folder, this.repository);
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private link(target: string, path: string): void {
    const real = realpathSync(target);
    const there = lstatSync(path, { throwIfNoEntry: false });
    if (there?.isSymbolicLink() && readlinkSync(path) === real) return;
    rmSync(path, { recursive: true, force: true });
    symlinkSync(real, path);
  }

  private writeConfig(wanted: Buffer, to: string): void {
    if (existsSync(to) && readFileSync(to).equals(wanted)) return;
    writeFileSync(`${to}.new`, wanted);
    renameSync(`${to}.new`, to);
  }
}
