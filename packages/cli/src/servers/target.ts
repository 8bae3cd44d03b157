import type { HttpUpstream, StdioUpstream } from "@touchstone/gateway/config";
import { defaultServerName } from "@touchstone/gateway/wrap";
import type { ServeOptions } from "../common-options.ts";
import { configurationFiles, configuredGateway, namedServer } from "../configured.ts";
import { CliExit, EXIT_USAGE } from "../exit.ts";
import type { CliIo } from "../io.ts";

/** A server that a command talks to. */
export interface ServerTarget {
  readonly name: string;
  readonly upstream: StdioUpstream | HttpUpstream;
}

/**
 * The server that the words of a command line mean: a URL, the name of a configured server, or a
 * command with its arguments.
 * @throws CliExit where it is none of them; ConfigError with all faults of a file
 */
export function serverTarget(
  words: readonly string[],
  options: ServeOptions,
  env: CliIo["env"],
): ServerTarget {
  const [first, ...rest] = words;
  if (first === undefined) {
    throw new CliExit(EXIT_USAGE, "name a server: a URL, a configured name, or -- COMMAND ARGS…");
  }
  if (/^https?:\/\//i.test(first) && rest.length === 0) return httpTarget(first);
  if (configurationFiles(options).length > 0 && rest.length === 0) {
    return namedServer(configuredGateway(options, env).servers, first);
  }
  return {
    name: defaultServerName(first, rest),
    upstream: { type: "stdio", command: first, args: rest, env: {} },
  };
}

function httpTarget(url: string): ServerTarget {
  if (!URL.canParse(url)) throw new CliExit(EXIT_USAGE, `"${url}" is not a URL`);
  return { name: new URL(url).host, upstream: { type: "http", url, headers: {} } };
}
