import { parseJson } from "@touchstone/core/advanced";
import { CliExit, EXIT_USAGE } from "../io/exit.ts";
import { shellWord } from "../terminal/shell-word.ts";

/** The usual form of tool names. */
const TOOL = /^[A-Za-z_][\w.:/-]{0,127}$/;
const ASSIGNED = /^[^=\s]+=/;

/**
 * Refuses a tool and its arguments after the command, where they would become arguments of the server:
 * `-- SERVER TOOL '{…}'`, or `-- SERVER TOOL -a key=value`. Only recognizes JSON objects and `-a key=value` at the
 * end.
 * @param server the words of a command line, as returned by `splitServerWords`
 * @throws CliExit 2 with the corrected command
 */
export function refuseMisplaced(server: readonly string[]): void {
  if (server[0] !== "--") return;
  const words = server.slice(1);
  const end = endOfServer(words);
  const tool = words[end - 1];
  // The command itself is not a tool.
  if (end === words.length || end < 2 || tool === undefined || !TOOL.test(tool)) return;
  const given = words[end]?.startsWith("{") ? "'{…}'" : "-a key=value";
  const typed = `touchstone call ${shellWord(tool)} ${given} -- ${shellWord(words[0] ?? "")} …`;
  throw new CliExit(
    EXIT_USAGE,
    `the tool and its arguments go before --: ${typed} (touchstone tools lists the tools of such a command)`,
  );
}

/** Returns where the arguments of a tool begin; the number of words if there are none. */
function endOfServer(words: readonly string[]): number {
  const last = words.length - 1;
  if (isJsonObject(words[last])) return last;
  let end = words.length;
  while (end >= 2 && /^(?:-a|--argument)$/.test(words[end - 2] ?? "")) {
    if (!ASSIGNED.test(words[end - 1] ?? "")) break;
    end -= 2;
  }
  return end;
}

function isJsonObject(word = ""): boolean {
  if (!word.startsWith("{")) return false;
  const parsed = parseJson(word);
  return parsed.ok && typeof parsed.value === "object";
}
