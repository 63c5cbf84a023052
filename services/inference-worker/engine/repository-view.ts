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
import { dirname, join } from 'node:path';
import { makeFolder } from '#lib/make-folder';
import { readRegularFile } from '#lib/regular-file';
import { boundFault, ConfigBeyond } from './config-bounds';

const touched = 'loaded-again';
/** What is not a version. */
const ours: ReadonlySet<string> = new Set(['config.pbtxt', 'config.pbtxt.new', touched]);

function configIn(file: string): Buffer {
  const config = readRegularFile(file);
  const fault = boundFault(config.toString());
  if (fault !== null) throw new ConfigBeyond(file, fault);
  return config;
}

/** The view, not the repository, can't be changed: its disk is full, or its folder is gone. */
export class ViewUnwritable extends Error {
  constructor(
    readonly file: string,
    cause: unknown,
  ) {
    super(`can't be written: ${(cause as Error).message}`, { cause });
  }
}

function writing(file: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw new ViewUnwritable(file, error);
  }
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
   * ConfigBeyond where that is beyond the limits, ViewUnwritable where there is no room for it: nothing changes then.
   */
  show(model: string, versions: readonly string[]): void {
    const [from, to] = [join(this.repository, model), join(this.folder, model)];
    const config = configIn(join(from, 'config.pbtxt'));
    const file = join(to, 'config.pbtxt');
    const isNew = this.stageConfig(config, file);
    for (const name of readdirSync(to)) {
      if (!ours.has(name) && !versions.includes(name)) rmSync(join(to, name), { recursive: true });
    }
    for (const version of versions) this.link(join(from, version), join(to, version));
    if (isNew) writing(file, () => renameSync(`${file}.new`, file));
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
    const file = join(folder, touched);
    writing(file, () => {
      rmSync(file, { force: true });
      writeFileSync(file, '');
    });
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
    writing(path, () => {
      rmSync(path, { recursive: true, force: true });
      symlinkSync(real, path);
    });
  }

  /** Beside the one that the core knows; false where that says the same. */
  private stageConfig(wanted: Buffer, file: string): boolean {
    if (existsSync(file) && readFileSync(file).equals(wanted)) return false;
    try {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(`${file}.new`, wanted);
      return true;
    } catch (error) {
      if (existsSync(`${file}.new`)) rmSync(`${file}.new`, { recursive: true });
      throw new ViewUnwritable(file, error);
    }
  }
}
