import { setImmediate } from "node:timers/promises";
import { checkInstallation } from "./installation.ts";

/** The loaders that this process has created and not called yet. */
const waiting = new Set<() => Promise<unknown>>();

/**
 * Returns a function that loads a module on first use, so that it does not delay the start. A gateway loads the rest
 * after its start, with {@link loadLateImports}: an upgrade may replace its files while it runs.
 *
 * The `import()` has to be in the module that needs it: Node.js looks for the file again if another one imports it.
 * @param load is called again after it failed
 * @param options.isRare not loaded by {@link loadLateImports}: a library that few settings need. If the installation has changed
 *   when it is needed, that is noticed, and ends the process with a reason
 */
export function lateImport<T>(
  load: () => Promise<T>,
  { isRare = false }: { readonly isRare?: boolean } = {},
): () => Promise<T> {
  let loading: Promise<T> | undefined;
  const loaded = (): Promise<T> => {
    waiting.delete(loaded);
    loading ??= begin().catch((error: unknown) => {
      loading = undefined;
      throw checkInstallation(error) ?? error;
    });
    return loading;
  };
  // By now, an upgrade may have put another version in this place.
  const begin = async (): Promise<T> => {
    const changed = isRare ? checkInstallation() : undefined;
    if (changed !== undefined) throw changed;
    return load();
  };
  if (!isRare) waiting.add(loaded);
  return loaded;
}

/**
 * Loads all modules that may be needed later, and those that they may need: one in a turn, since others wait. Rejects
 * after all are tried, with the first error.
 */
export async function loadLateImports(): Promise<void> {
  const errors: unknown[] = [];
  while (waiting.size > 0) {
    for (const loaded of waiting) {
      await loaded().catch((error: unknown) => errors.push(error));
      await setImmediate();
    }
  }
  if (errors.length > 0) throw errors[0];
}
