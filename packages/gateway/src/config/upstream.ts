import type { ServerEntry } from "../settings/schema.ts";
import type { HttpUpstream, StdioUpstream } from "./config.ts";
import { isJsonObject, type Path } from "./document.ts";
import { entryKeyHint, RUN_KEYS, URL_KEYS } from "./entry-keys.ts";
import type { FaultList } from "./fault-list.ts";
import { quote } from "./faults.ts";
import { serverUrlFault } from "./server-url.ts";

const HTTP_TYPES: readonly string[] = ["http", "streamable-http", "streamableHttp"];
/** A token (RFC 9110, section 5.6.2). */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/**
 * Headers of the connection (RFC 9110, section 7.6.1), of the body, or of MCP's transport, which sets them for each
 * message (MCP 2026-07-28, Transports).
 */
const TRANSPORT_HEADERS: readonly string[] = [
  "accept",
  "accept-encoding",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "keep-alive",
  "last-event-id",
  "mcp-method",
  "mcp-name",
  "mcp-protocol-version",
  "mcp-session-id",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

/**
 * Makes the upstream of an entry. Reports what is wrong in `faults`; the result is then unusable. Messages never
 * contain values that may be secret.
 *
 * @param forwardAuthorization the value for entries that do not set it
 */
export function upstreamOf(
  entry: ServerEntry,
  path: Path,
  faults: FaultList,
  forwardAuthorization = false,
): StdioUpstream | HttpUpstream | undefined {
  const { type, command } = entry;
  const [urlKey = "url", another] = URL_KEYS.filter((key) => entry[key] !== undefined);
  const url = entry[urlKey];
  const before = (key: string) => [...path, key];
  if (command !== undefined && url !== undefined) {
    const message = "an entry has either a command or a url, not both; remove one";
    faults.add("CONFLICTING_KEYS", before(urlKey), message, "key");
    return undefined;
  }
  if (another !== undefined) {
    const message = `${quote(urlKey)} and ${quote(another)} both name the server's URL; remove one`;
    faults.add("CONFLICTING_KEYS", before(another), message, "key");
    return undefined;
  }
  const wanted = type === undefined ? undefined : HTTP_TYPES.includes(type) ? "url" : "command";
  if (command === undefined && url === undefined) {
    const missing = wanted === undefined ? "a command (stdio) or a url (HTTP)" : `a ${wanted}`;
    const wantedKeys = wanted === undefined ? ["command", "url"] : [wanted];
    const nested = nestedTransport(entry);
    const hints =
      nested === "" ? Object.keys(entry).map((key) => meant(key, wantedKeys)) : [nested];
    faults.add("MISSING_KEY", path, `the entry needs ${missing}${hints.join("")}`, "key");
    return undefined;
  }
  if (wanted !== undefined && (wanted === "url" ? url : command) === undefined) {
    const other = wanted === "url" ? "command" : "url";
    const message = `"type": "${type}" takes a ${wanted}, not a ${other}; change one of them`;
    faults.add("CONFLICTING_KEYS", before("type"), message);
    return undefined;
  }
  const forward = entry.touchstone?.forward_authorization;
  if (command !== undefined) {
    if (forward === true) {
      const message =
        "a server with a command gets no HTTP headers; remove this, or set it to false";
      faults.add("CONFLICTING_KEYS", [...path, "touchstone", "forward_authorization"], message);
    }
    return { type: "stdio", command, ...checkStdio(entry, path, faults) };
  }
  return {
    type: "http",
    url: url ?? "",
    headers: checkHttp(url ?? "", entry.headers, path, urlKey, faults),
    ...((forward ?? forwardAuthorization) ? { forwardAuthorization: true } : {}),
  };
}

/** Returns what to say about an unread key, if a required key is missing that it may stand for. */
function meant(key: string, missing: readonly string[]): string {
  const hint = entryKeyHint(key, missing);
  return hint === "" ? "" : `; ${quote(key)} is not read${hint}`;
}

/**
 * Returns what to say about an entry whose command or URL is nested in another object: `"transport": { "url": … }`.
 */
function nestedTransport(entry: ServerEntry): string {
  for (const [key, value] of Object.entries(entry)) {
    if (key === "touchstone" || !isJsonObject(value)) continue;
    const moved = Object.keys(value).filter((inside) => RUN_KEYS.includes(inside));
    if (!moved.some((inside) => inside === "command" || isUrlKey(inside))) continue;
    return `; ${quote(key)} is not read — move ${moved.map(quote).join(", ")} up into the entry itself`;
  }
  return "";
}

function isUrlKey(key: string): boolean {
  return URL_KEYS.some((known) => known === key);
}

/** Matches a Windows path with single backslashes after JSON was parsed: `C:\new` becomes `C:` and a new line. */
const EATEN_BACKSLASH = /^[A-Za-z]:.*[\b\f\n\r\t]/s;
const BACKSLASHES =
  "must not contain control characters; write a backslash as \\\\, or a path with /";

function checkStdio(
  { command, args = [], env = {}, cwd }: ServerEntry,
  path: Path,
  faults: FaultList,
): Omit<StdioUpstream, "type" | "command"> {
  const clean = (value: string, at: Path, isPath = false): void => {
    if (value.includes("\0")) faults.add("INVALID_VALUE", at, "must not contain the character NUL");
    else if (isPath ? /\p{Cc}/u.test(value.trim()) : EATEN_BACKSLASH.test(value)) {
      faults.add("INVALID_VALUE", at, BACKSLASHES);
    }
  };
  if (command?.trim() === "")
    faults.add("INVALID_VALUE", [...path, "command"], "must not be empty");
  // No shell starts the command, and a program's bare name contains no space.
  else if (/^[^\s/\\:]+\s+\S/.test(command?.trim() ?? "")) {
    const message =
      'is one program without arguments; move what follows the first word into "args"';
    faults.add("INVALID_VALUE", [...path, "command"], message);
  }
  if (cwd === "") faults.add("INVALID_VALUE", [...path, "cwd"], "must not be empty");
  clean(command ?? "", [...path, "command"], true);
  clean(cwd ?? "", [...path, "cwd"], true);
  for (const [index, value] of args.entries()) clean(value, [...path, "args", index]);
  for (const [name, value] of Object.entries(env)) {
    const at = [...path, "env", name];
    if (name === "" || name.includes("=") || name.includes("\0")) {
      faults.add(
        "INVALID_VALUE",
        at,
        'a variable\'s name must not be empty or contain "=" or NUL',
        "key",
      );
    }
    clean(value, at);
  }
  return cwd === undefined ? { args, env } : { args, env, cwd };
}

function checkHttp(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  path: Path,
  urlKey: string,
  faults: FaultList,
): Readonly<Record<string, string>> {
  const at = [...path, urlKey];
  const fault = serverUrlFault(url);
  if (fault === "form") {
    faults.add("INVALID_VALUE", at, "must be an absolute http:// or https:// URL");
  } else if (fault === "login") {
    const message =
      'must not contain a user name or password; put them into "headers" as Authorization';
    faults.add("INVALID_VALUE", at, message);
  }
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    const header = [...path, "headers", name];
    const lower = name.toLowerCase();
    if (!HEADER_NAME.test(name)) {
      faults.add("INVALID_VALUE", header, "this is not an HTTP header name", "key");
    } else if (TRANSPORT_HEADERS.includes(lower)) {
      faults.add("INVALID_VALUE", header, "this header belongs to the transport; remove it", "key");
    } else if (seen.has(lower)) {
      const message = "this header occurs twice here (case does not count); remove one";
      faults.add("DUPLICATE_KEY", header, message, "key");
    }
    seen.add(lower);
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) {
      const message = "must be a header value: one line, no control characters, Latin-1";
      faults.add("INVALID_VALUE", header, message);
    }
  }
  return headers;
}
