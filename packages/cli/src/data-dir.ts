import { homedir } from "node:os";
import { join, resolve } from "node:path";

/**
 * The directory that holds the records: `--data-dir`, else `TOUCHSTONE_DATA_DIR`, else
 * `~/.touchstone`.
 */
export function resolveDataDir(
  options: { readonly dataDir?: string | undefined },
  env: Readonly<Record<string, string | undefined>>,
): string {
  const named = options.dataDir ?? (env["TOUCHSTONE_DATA_DIR"] || undefined);
  return named === undefined ? join(homedir(), ".touchstone") : resolve(named);
}
