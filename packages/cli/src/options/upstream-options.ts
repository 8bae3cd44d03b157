import { serverUrlFault } from "@touchstone/gateway/config";
import { CliExit, EXIT_USAGE } from "../io/exit.ts";

/** A server reached over HTTP, as given on the command line. */
export interface UpstreamOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A token (RFC 9110, section 5.6.2). */
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Headers that belong to the connection (RFC 9110, section 7.6.1) or to the body. */
const OF_THE_TRANSPORT: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * Checks the URL of a server and the values of `--header`. Messages never contain possible secrets.
 * @param headers each `NAME=VALUE`; the value may contain more `=`
 * @param named the term that messages use for the URL
 * @throws CliExit with what is wrong
 */
export function checkedUpstream(
  url: string,
  headers: readonly string[],
  named: string = "--url",
): UpstreamOptions {
  const fault = serverUrlFault(url);
  if (fault === "form") {
    throw new CliExit(EXIT_USAGE, `${named} must be an absolute http:// or https:// URL`);
  }
  if (fault === "login") {
    throw new CliExit(
      EXIT_USAGE,
      `${named} must not contain a user name or password; use --header Authorization=…`,
    );
  }
  return { url, headers: checkedHeaders(headers) };
}

/**
 * Reads the values of `--header`.
 * @param headers each `NAME=VALUE`; the value may contain more `=`
 * @throws CliExit with what is wrong
 */
export function checkedHeaders(headers: readonly string[]): Readonly<Record<string, string>> {
  const read = headers.map(readHeader);
  const names = read.map(([name]) => name.toLowerCase());
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) {
    throw new CliExit(EXIT_USAGE, `the header ${twice} is given twice; give it once`);
  }
  return Object.fromEntries(read);
}

/**
 * Replaces variable names in `--header-env` with their values, so that secrets can stay off the command line.
 * @param headers each `NAME=VARIABLE`
 * @returns `NAME=VALUE` for each
 * @throws CliExit that names a variable that is not set
 */
export function headersFrom(
  headers: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  return headers.map((text) => {
    const equals = text.lastIndexOf("=");
    if (equals < 1) throw new CliExit(EXIT_USAGE, "--header-env takes NAME=VARIABLE");
    const variable = text.slice(equals + 1);
    const value = env[variable];
    if (value !== undefined) return `${text.slice(0, equals)}=${value}`;
    throw new CliExit(EXIT_USAGE, `--header-env: the variable ${variable} is not set`);
  });
}

function readHeader(text: string): [string, string] {
  const equals = text.indexOf("=");
  const name = text.slice(0, Math.max(equals, 0));
  const value = text.slice(equals + 1);
  const wrong =
    equals < 0 || !NAME.test(name)
      ? "takes NAME=VALUE, and NAME is a header's name"
      : OF_THE_TRANSPORT.has(name.toLowerCase())
        ? `cannot set ${name}: it belongs to the transport`
        : VALUE.test(value)
          ? undefined
          : `${name}: the value must be one line without control characters, in Latin-1`;
  if (wrong !== undefined) throw new CliExit(EXIT_USAGE, `--header ${wrong}`);
  return [name, value];
}
