import { statSync } from "node:fs";
import { resolve } from "node:path";
import { isOnPath } from "../../util/command-on-path.ts";

interface Started {
  readonly command: string;
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Why a command could not be started, in one line for people, and what helps. */
export function describeSpawnError(error: NodeJS.ErrnoException, options: Started): string {
  const command = JSON.stringify(options.command);
  const notFound = `cannot start ${command}: command not found. Check the spelling and the PATH`;
  switch (error.code) {
    case "ENOENT":
      if (hasArguments(options)) {
        return `cannot start ${command}: it is one program without arguments; move what follows the program into "args"`;
      }
      return options.cwd === undefined
        ? notFound
        : `cannot start ${command} in ${JSON.stringify(options.cwd)}: command or directory not found`;
    case "EACCES":
      if (!isOnPath(options.command, options.env["PATH"])) return notFound;
      return `cannot start ${command}: it is not executable by this user`;
    case "ENOTDIR":
      return `cannot start ${command}: what stands for a directory in its path, or in "cwd", is none`;
    case "E2BIG":
      return `cannot start ${command}: its arguments and environment are larger than the system takes`;
    case "EMFILE":
    case "ENFILE":
      return `cannot start ${command}: too many files are open. Raise the limit (ulimit -n), or lower limits.children`;
    default:
      return `cannot start ${command}: ${error.message}`;
  }
}

/** Returns whether a command that is not there begins with a program that is: a path may hold spaces. */
function hasArguments({ command, cwd = ".", env }: Started): boolean {
  const [program = "", ...words] = command.trim().split(/\s+/);
  if (words.length === 0) return false;
  if (!program.includes("/")) return isOnPath(program, env["PATH"]);
  try {
    return statSync(resolve(cwd, program)).isFile();
  } catch {
    return false;
  }
}

/** How a process ended, as what follows "the server". */
export function describeExit(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null ? `exited with code ${code}` : `was ended by ${signal}`;
}
