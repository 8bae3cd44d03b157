import { CliExit, EXIT_USAGE } from "../io/exit.ts";

/** The words of a command line that name a server, and the other words. */
export interface ServerWords {
  /** A URL or a name; or `--`, then a command with its arguments. */
  readonly server: readonly string[];
  readonly rest: readonly string[];
}

/**
 * Separates a command after `--` from the words before it; without `--`, the first word is the server.
 * @param words all operands as returned by commander, without `--`
 * @param args the whole command line, which still contains `--`
 * @throws CliExit if no server is named
 */
export function splitServerWords(words: readonly string[], args: readonly string[]): ServerWords {
  const dash = args.indexOf("--");
  const behind = dash < 0 ? 0 : args.length - dash - 1;
  const at = words.length - behind;
  const [server, rest] =
    dash < 0 ? [words.slice(0, 1), words.slice(1)] : [words.slice(at), words.slice(0, at)];
  if (server.length > 0) return { server: dash < 0 ? server : ["--", ...server], rest };
  throw new CliExit(EXIT_USAGE, "name a server: a URL, a configured name, or -- COMMAND ARGS…");
}
