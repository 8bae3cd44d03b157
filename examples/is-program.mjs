import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Whether a module is the program that Node was given, also where its path leads over a symbolic link. */
export function isProgram(moduleUrl) {
  const [, given = ""] = process.argv;
  try {
    return realpathSync(given) === fileURLToPath(moduleUrl);
  } catch {
    return false; // no file, such as "-"
  }
}
