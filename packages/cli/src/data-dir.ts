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
  return named === undefined ? join(home(), ".touchstone") : resolve(named);
}

/** What `HOME` names, or the system where that is empty or relative: it would be another one in each directory. */
function home(): string {
  for (const told of [homedir, () => userInfo().homedir]) {
    try {
      const path = told();
      if (isAbsolute(path)) return path;
    } catch {
      // A user whom the system does not know, as in containers.
    }
  }
  const message =
    "you have no home directory: name one for the records with --data-dir or TOUCHSTONE_DATA_DIR";
  throw new CliExit(EXIT_USAGE, message);
}
