import { statSync } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * Returns whether a command is in a directory of a PATH, as far as this user may read the directories. The system
 * reports EACCES both if a program may not be run and if it found none and could not search a directory (exec of
 * POSIX).
 * @param command one with a directory is not searched for: true
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

/**
 * Returns a hint for the end of an error about a path that was not found and begins with `~`: only a shell expands
 * that, and servers are started without a shell. Empty for other paths.
 */
export function tildeHint(path: string): string {
  if (path !== "~" && !path.startsWith("~/")) return "";
  return `. "~" is not expanded: write the whole path, or \${HOME} instead`;
}
