import type { ValidationSettings } from "@touchstone/gateway";
import type { HttpUpstream, StdioUpstream } from "@touchstone/gateway/config";
import { defaultServerName } from "@touchstone/gateway/wrap";
import { withApprovedConfig } from "../config-file/approve-config.ts";
import {
  configurationFiles,
  configuredGateway,
  namedServer,
  reachableServer,
} from "../config-file/configured.ts";
import { CliExit, EXIT_USAGE } from "../io/exit.ts";
import type { ProcessIo } from "../io/process-io.ts";
import type { HeaderOptions, ServeOptions } from "../options/common-options.ts";
import { checkedUpstream, headersFrom } from "../options/upstream-options.ts";
import type { CliIo } from "../terminal/cli-io.ts";

/** A server that a command talks to. */
export interface ServerTarget {
  readonly name: string;
  readonly upstream: StdioUpstream | HttpUpstream;
  /**
   * Whether the user typed its command, which then runs in the user's environment as with `wrap`; others get the
   * environment that `serve` gives them.
   */
  readonly isOwnCommand?: boolean;
  /** Its settings, and those of tools that differ; absent if the server is not in a configuration. */
  readonly settings?: ValidationSettings;
  readonly tools?: ReadonlyMap<string, ValidationSettings>;
}

const URL_FORM = /^[a-z][a-z\d+.-]*:\/\//i;

/**
 * Returns the server that the words of a command line name: a URL, the name of a configured server, or `--` with a
 * command and its arguments. Without `--`, only starts commands from a configuration.
 * @throws CliExit if the words do not name a server; ConfigError with all faults of a file, or of the server, if it
 * is disabled or skipped
 */
export function serverTarget(
  words: readonly string[],
  options: ServeOptions & HeaderOptions,
  env: CliIo["env"],
): ServerTarget {
  const { header = [], headerEnv = [] } = options;
  const isCommand = words[0] === "--";
  const [first, ...rest] = isCommand ? words.slice(1) : words;
  if (first === undefined) {
    throw new CliExit(EXIT_USAGE, "name a server: a URL, a configured name, or -- COMMAND ARGS…");
  }
  if (/^https?:\/\//i.test(first) && rest.length === 0) {
    return httpTarget(first, [...header, ...headersFrom(headerEnv, env)]);
  }
  if (header.length + headerEnv.length > 0) {
    const where = isCommand
      ? "a command has no headers"
      : "a configured server has them in its entry";
    throw new CliExit(EXIT_USAGE, `--header goes with a URL: ${where}`);
  }
  if (isCommand) {
    return {
      name: defaultServerName(first, rest),
      upstream: { type: "stdio", command: first, args: rest, env: {} },
      isOwnCommand: true,
    };
  }
  if (URL_FORM.test(first)) {
    const wanted = "it must begin with http:// or https://";
    const shown = first.replace(/\/\/[^/?#]*@/, "//");
    throw new CliExit(EXIT_USAGE, `"${shown}" is not a URL of a server: ${wanted}`);
  }
  if (configurationFiles(options).length === 0) {
    const todo = "name its file with --config or --servers, or put -- before a command";
    const what = `"${first}" names a server of a configuration, but none is given`;
    throw new CliExit(EXIT_USAGE, `${what}: ${todo}`);
  }
  return reachableServer(namedServer(configuredGateway(options, env), first));
}

/**
 * Does the same as {@link serverTarget}, but searches for a configuration if the words name a server and no file is
 * given. The user has to approve the commands of such a file before one of them starts.
 */
export async function foundTarget(
  words: readonly string[],
  options: ServeOptions & HeaderOptions,
  io: ProcessIo,
): Promise<ServerTarget> {
  const [first = "--"] = words;
  const isNamed = first !== "--" && !URL_FORM.test(first);
  if (!isNamed) return serverTarget(words, options, io.env);
  return serverTarget(words, await withApprovedConfig(options, io), io.env);
}

function httpTarget(url: string, given: readonly string[]): ServerTarget {
  const upstream = checkedUpstream(url, given, "the URL of a server");
  return { name: new URL(url).host, upstream: { type: "http", ...upstream } };
}
