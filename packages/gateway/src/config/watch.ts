import { type FSWatcher, watch } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { readConfigFile } from "./file.ts";

/** Files that are watched. */
export interface ConfigWatch {
  /** Stops watching. */
  close(): void;
}

/**
 * Editors write a file in several steps; what they do within this time is one change. What happens
 * beside the file does not put it off: where records are kept in the same folder, that never ends.
 */
const SETTLE_MS = 100;

function contentOf(file: string): string | undefined {
  try {
    return readConfigFile(file);
  } catch {
    return undefined;
  }
}

/**
 * Watches configuration files, also where they are replaced (by editors, or by the swap of a
 * mounted directory's link), and tells when the content of one has changed.
 * @param failed told where a directory cannot be watched; changes in it then go unnoticed
 */
export function watchConfig(
  files: readonly string[],
  changed: () => void,
  failed: (reason: string) => void,
): ConfigWatch {
  const contents = new Map(files.map((file) => [resolve(file), contentOf(file)]));
  const watchers: FSWatcher[] = [];
  let timer: NodeJS.Timeout | undefined;
  const names = new Set([...contents.keys()].map((file) => basename(file)));
  const look = (): void => {
    timer = undefined;
    let different = false;
    for (const [file, before] of contents) {
      const now = contentOf(file);
      if (now === before) continue;
      contents.set(file, now);
      different = true;
    }
    if (different) changed();
  };
  const settle = (_event: string, name: string | null): void => {
    if (timer !== undefined && !names.has(name ?? "")) return;
    clearTimeout(timer);
    timer = setTimeout(look, SETTLE_MS);
    timer.unref();
  };
  for (const folder of new Set([...contents.keys()].map((file) => dirname(file)))) {
    const cannot = (error: Error): void =>
      failed(
        `changes of ${[...names].join(", ")} in ${folder} cannot be noticed: ${error.message}`,
      );
    try {
      const watcher = watch(folder, settle);
      watcher.on("error", cannot);
      watcher.unref();
      watchers.push(watcher);
    } catch (error) {
      cannot(error instanceof Error ? error : new Error(String(error)));
    }
  }
  return {
    close() {
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
    },
  };
}
