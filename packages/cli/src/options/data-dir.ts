import { homedir, userInfo } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { CliExit, EXIT_USAGE } from "../io/exit.ts";

type Environment = Readonly<Record<string, string | undefined>>;

interface NamedDataDir {
  readonly dataDir?: string | undefined;
}

/**
 * Returns the data directory: `--data-dir`, else `TOUCHSTONE_DATA_DIR`, else `~/.touchstone`.
 * @throws CliExit if no directory is given and the user has no home directory
 */
export function resolveDataDir(options: NamedDataDir, env: Environment): string {
  const found = findDataDir(options, env);
  if (found !== undefined) return found;
  const message =
    "you have no home directory: name one for the records with --data-dir or TOUCHSTONE_DATA_DIR";
  throw new CliExit(EXIT_USAGE, message);
}

/**
 * Does the same as {@link resolveDataDir}, but returns undefined if no directory is given and the user has no home
 * directory.
 */
export function findDataDir(options: NamedDataDir, env: Environment): string | undefined {
  const named = options.dataDir ?? (env["TOUCHSTONE_DATA_DIR"] || undefined);
  if (named !== undefined) return resolve(named);
  const home = homeDirectory();
  return home === undefined ? undefined : join(home, ".touchstone");
}

/**
 * Returns the home directory: `HOME`, or the system's if that is empty or relative, because a relative path would
 * depend on the working directory. Undefined if the user has none.
 */
export function homeDirectory(): string | undefined {
  for (const told of [homedir, () => userInfo().homedir]) {
    try {
      const path = told();
      if (isAbsolute(path)) return path;
    } catch {
      // The user is unknown to the system, as in some containers.
    }
  }
  return undefined;
}
