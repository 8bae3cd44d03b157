import { type FSWatcher, statSync, watch } from "node:fs";
import { basename, resolve } from "node:path";
import { pollFiles } from "@touchstone/util";
import { readConfigFile } from "./file.ts";
import { watchedFiles } from "./watched-files.ts";

/** The files to watch. */
export interface ConfigWatch {
  /** Stops watching. */
  close(): void;
}

/** Editors write a file in several steps; changes within this time count as one. */
const SETTLE_MS = 100;
/** How often to search for the folders again if they change during the search. */
const MAX_ROUNDS = 5;
/**
 * How often to check whether a file has changed, in milliseconds: the system may be out of watches, and a network
 * file system does not report changes by other machines.
 */
const POLL_MS = 2_000;

function contentOf(file: string): string | undefined {
  try {
    return readConfigFile(file);
  } catch {
    return undefined;
  }
}

/**
 * Watches configuration files, and reports when the content of one has changed: also if a file is replaced (by
 * editors), if a link on its path is swapped or redirected (mounted volumes, releases), and if its folder disappears
 * and returns. Takes up to two seconds if the system reports no changes.
 * @param failed called if a directory cannot be watched
 */
export function watchConfig(
  files: readonly string[],
  changed: () => void,
  failed: (reason: string) => void,
): ConfigWatch {
  const contents = new Map<string, string | undefined>();
  let timer: NodeJS.Timeout | undefined;
  const settle = (): void => {
    clearTimeout(timer);
    timer = setTimeout(look, SETTLE_MS);
    timer.unref();
  };
  const folders = new WatchedFolders(settle, failed);
  const look = (): void => {
    timer = undefined;
    folders.follow([...contents.keys()]);
    let different = false;
    for (const [file, before] of contents) {
      const now = contentOf(file);
      if (now === before) continue;
      contents.set(file, now);
      different = true;
    }
    if (different) changed();
  };
  for (const file of files) contents.set(resolve(file), contentOf(file));
  folders.follow([...contents.keys()]);
  const endPolling = pollFiles([...contents.keys()], POLL_MS, settle);
  return {
    close() {
      endPolling();
      clearTimeout(timer);
      folders.close();
    },
  };
}

/** The folders that affect the content of some files. */
class WatchedFolders {
  readonly #watchers: Map<string, FSWatcher> = new Map();
  /** The relevant names, by folder. */
  #places: ReadonlyMap<string, ReadonlySet<string>> = new Map();
  readonly #told: Set<string> = new Set();
  readonly #touched: () => void;
  readonly #failed: (reason: string) => void;

  constructor(touched: () => void, failed: (reason: string) => void) {
    this.#touched = touched;
    this.#failed = failed;
  }

  /** Watches the current path of each file. */
  follow(files: readonly string[]): void {
    // No event reports changes from before the folder was watched.
    for (let round = 0; round < MAX_ROUNDS && this.#adjust(files); round += 1);
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  /** Whether a folder was added. */
  #adjust(files: readonly string[]): boolean {
    const places = new Map<string, Set<string>>();
    for (const [folder, names] of files.flatMap((file) => [...watchedFiles(file)])) {
      places.set(folder, new Set([...(places.get(folder) ?? []), ...names]));
    }
    this.#places = places;
    const wanted = new Map([...places.keys()].map((folder) => [identityOf(folder), folder]));
    for (const [identity, watcher] of this.#watchers) {
      if (wanted.has(identity)) continue;
      watcher.close();
      this.#watchers.delete(identity);
    }
    let added = false;
    for (const [identity, folder] of wanted) {
      if (!this.#watchers.has(identity) && this.#watch(identity, folder)) added = true;
    }
    return added;
  }

  #watch(identity: string, folder: string): boolean {
    const cannot = (error: Error): void => {
      if (this.#told.has(folder)) return;
      this.#told.add(folder);
      const names = [...(this.#places.get(folder) ?? [])].join(", ");
      const how = `is read every ${POLL_MS / 1_000} s`;
      this.#failed(
        `${names} in ${folder} ${how}, because its changes are not reported: ${error.message}`,
      );
    };
    try {
      const watcher = watch(folder, (_event, name) => {
        // Ignores other files, such as records in the same folder, which change all the time. A folder that disappears
        // reports itself.
        const counts = name === null || name === basename(folder);
        if (counts || this.#places.get(folder)?.has(name)) this.#touched();
      });
      watcher.on("error", cannot);
      watcher.unref();
      this.#watchers.set(identity, watcher);
      return true;
    } catch (error) {
      cannot(error instanceof Error ? error : new Error(String(error)));
      return false;
    }
  }
}

/** A folder that was created again under the same name has another identity. */
function identityOf(folder: string): string {
  try {
    const { dev, ino } = statSync(folder);
    return `${dev} ${ino} ${folder}`;
  } catch {
    return folder;
  }
}
