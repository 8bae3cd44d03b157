import type { ConsoleAssets } from "@touchstone/http";

/**
 * The page that a gateway under test serves. A gateway takes what was built into `packages/http/dist`,
 * which may be older than the sources; a test puts this in its place:
 * `vi.mock("@touchstone/http/console", servesBuiltPage)`.
 */
export const builtPage: { assets?: ConsoleAssets } = {};

interface Loader {
  loadConsole(directory?: string): ConsoleAssets | undefined;
}

/** The module `@touchstone/http/console`, which gives {@link builtPage} where no directory is named. */
export async function servesBuiltPage<T>(original: () => Promise<T>): Promise<T & Loader> {
  const module = (await original()) as T & Loader;
  const loadConsole: Loader["loadConsole"] = (directory) =>
    directory === undefined ? builtPage.assets : module.loadConsole(directory);
  return { ...module, loadConsole };
}
