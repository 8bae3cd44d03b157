import { statSync } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * Returns whether a command is in a directory of a PATH, as far as this user may look. That running it is not permitted
 * (EACCES) is what the system says also where it found none and a directory could not be searched (exec of POSIX).
 * @param command with a directory it is not looked for: true
 */
export function isOnPath(command: string, path: string | undefined): boolean {
  if (command.includes("/")) return true;
  return (path ?? "").split(delimiter).some((directory) => {
    try {
      return statSync(join(directory || ".", command)).isFile();
    } catch {
      return false;
    }
  });
}
