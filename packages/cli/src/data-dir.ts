import { homedir, userInfo } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { CliExit, EXIT_USAGE } from "./exit.ts";

/**
 * The directory that holds the records: `--data-dir`, else `TOUCHSTONE_DATA_DIR`, else
 * `~/.touchstone`.
 * @throws CliExit where it is not named and the user has no home directory
 */
export function resolveDataDir(
  options: { readonly dataDir?: string | undefined },
  env: Readonly<Record<string, string | undefined>>,
): string {
  const named = options.dataDir ?? (env["TOUCHSTONE_DATA_DIR"] || undefined);
  if (named !== undefined) return resolve(named);
  const home = homeDirectory();
  if (home !== undefined) return join(home, ".touchstone");
  const message =
    "you have no home directory: name one for the records with --data-dir or TOUCHSTONE_DATA_DIR";
  throw new CliExit(EXIT_USAGE, message);
}

/**
 * Returns what `HOME` names, or what the system says if that is empty or relative: it would be another one in each
 * directory. Undefined if the user has none.
 */
export function homeDirectory(): string | undefined {
  for (const told of [homedir, () => userInfo().homedir]) {
    try {
      const path = told();
      if (isAbsolute(path)) return path;
    } catch {
      // A user whom the system does not know, as in containers.
    }
  }
  return undefined;
}
