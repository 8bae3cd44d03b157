import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { ownProgram } from "../own-package.ts";
import type { ClientPlaces } from "./clients.ts";

/**
 * Returns `touchstone` if a client can find it by name, else the paths of Node.js and this program: a client started
 * from a menu has a different `PATH`, and Windows cannot start such a file directly.
 */
export function ownCommand({ platform, env }: ClientPlaces): readonly [string, ...string[]] {
  const names = platform === "win32" ? ["touchstone.cmd", "touchstone.exe"] : ["touchstone"];
  // Directories that npx and npm scripts prepend are not on a client's PATH.
  const folders = (env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => folder !== "" && !/[\\/]node_modules[\\/]\.bin[\\/]?$/.test(folder));
  const found = folders.some((folder) => names.some((name) => isProgram(join(folder, name))));
  return found ? ["touchstone"] : [process.execPath, ownProgram()];
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
