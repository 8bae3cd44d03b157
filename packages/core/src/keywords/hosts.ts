import { quote, wordList } from "../json/quote.ts";
import { isObject } from "../json/value.ts";
import { toNfkc } from "../text/fold.ts";
import { type Keyword, keyword } from "./keyword.ts";
import { reportFailure, spendSteps, textCost } from "./run.ts";
import { type KeywordShape, namesAt, type SchemaReader } from "./shape.ts";
import { MAX_LISTED, textOrItemsCheck } from "./within.ts";

// The class of the URL Standard exists in every runtime that core supports, but not in TypeScript's "es2023" library.
// These lines only declare what is used.
declare const URL: new (
  text: string,
) => { readonly protocol: string; readonly hostname: string; readonly port: string };

declare module "./node.ts" {
  interface SchemaNode {
    readonly hosts?: AllowedHosts;
  }
}

/** A host that `hosts` allows, split into its parts. */
export interface AllowedHost {
  /** As serialized by the URL Standard; for `*.example.org`, including the dot before `example`. */
  readonly name: string;
  readonly isSuffix: boolean;
  /** Digits of the port, `*` for any; empty for the scheme's default. */
  readonly port: string;
}

/** The value of `hosts`. */
export interface AllowedHosts {
  /** As written by the author. */
  readonly written: readonly string[];
  readonly hosts: readonly AllowedHost[];
  /** In lower case, without a colon. */
  readonly schemes: readonly string[];
}

const DEFAULT_SCHEMES: readonly string[] = ["http", "https"];
const SCHEME = /^[a-z][a-z0-9+.-]*$/i;

/** Longer URLs are not read. RFC 9110, section 4.1, asks for 8,000 octets at least. */
export const MAX_URL = 8_192;
/** RFC 1035, section 2.3.4. */
export const MAX_HOST = 253;

/** What parsers drop or misread: control characters, spaces, the backslash, halves of a surrogate pair. */
const MISREAD = /[\p{Cc}\p{Z}\p{Cs}\\]/u;
/** A scheme, two slashes, an authority without user info, and the rest. */
const PARTS = /^([^:/?#]+):\/\/(\[[^\]@/?#]*\]|[^:@/?#[\]]+)(?::([0-9]{1,5}))?(?:([/?#])(.*))?$/s;
const ASCII_NAME = /^(?!.*\.\.)[a-z0-9_-][a-z0-9_.-]*$/;
/** Decimal without leading zeros: some programs read these as octal. */
const IPV4 = /^(?:0|[1-9][0-9]*)(?:\.(?:0|[1-9][0-9]*)){0,3}$|^0x[0-9a-f]+$/;

/** Characters that IDNA revisions map to different names (UTS 46, section 7), and dots other than `.`. */
const DEVIATION = /[ßẞς\u3002\uff0e\uff61]|\p{Default_Ignorable_Code_Point}/u;

/** Returns whether every program reads the same host from this text as the URL Standard does. */
function isReadAlike(text: string, hostname: string): boolean {
  const lower = text.toLowerCase();
  if (lower === hostname) return true;
  // The standard's other spellings of an address, except for octal digits.
  if (/^\[/.test(hostname)) return /^\[[0-9a-f:.]+\]$/.test(lower);
  if (/^[0-9.]+$/.test(hostname)) return IPV4.test(lower);
  const isPlain = /^[^\0-\u002c/:-@[-^`{-\u007f]+$/u.test(lower);
  return (
    isPlain &&
    /[^\0-\u007f]/u.test(lower) &&
    !DEVIATION.test(text + lower) &&
    toNfkc(lower).toLowerCase() === lower &&
    toNfkc(text).toLowerCase() === lower
  );
}

interface Located {
  readonly scheme: string;
  readonly hostname: string;
  readonly port: string;
}

/** Splits a URL into its parts. Returns undefined unless all programs find the same host in it. */
function locate(text: string): Located | undefined {
  if (text.length > MAX_URL || MISREAD.test(text)) return undefined;
  const [, scheme = "", host = "", , end, rest = ""] = PARTS.exec(text) ?? [];
  // Before anything parses or normalizes it, which may take quadratic time.
  if (host === "" || host.length > MAX_HOST || !SCHEME.test(scheme)) return undefined;
  // Some programs look for user info even after a missing path.
  if (end !== undefined && end !== "/" && rest.includes("@")) return undefined;
  let url: InstanceType<typeof URL>;
  try {
    url = new URL(text);
  } catch {
    return undefined;
  }
  const hostname = url.hostname.toLowerCase();
  const isName = hostname.startsWith("[") || ASCII_NAME.test(hostname);
  if (!isName || hostname.length > MAX_HOST || !isReadAlike(host, hostname)) return undefined;
  return { scheme: url.protocol.slice(0, -1).toLowerCase(), hostname, port: url.port };
}

/**
 * Returns whether a text is a URL (WHATWG URL Standard) with one of the hosts. Its scheme must be one of `schemes`,
 * it must not have user info, and its port must be the scheme's default or that of the entry. A text in which
 * programs find different hosts does not match. Looks at the text alone: what a name resolves to, and where a
 * redirect leads, is not known here. Takes time in proportion to the text. A URL of more than 8,192 code units, or a
 * host of more than 253, does not match.
 */
export function matchesHosts(
  text: string,
  { hosts, schemes }: Omit<AllowedHosts, "written">,
): boolean {
  const located = locate(text);
  if (located === undefined || !schemes.includes(located.scheme)) return false;
  const { hostname, port: given } = located;
  return hosts.some(({ name, isSuffix, port }) => {
    if (port !== "*" && port !== given && !isDefault(located, port)) return false;
    if (!isSuffix) return hostname === name;
    return hostname.length > name.length && hostname.endsWith(name);
  });
}

const PORTS: ReadonlyMap<string, string> = new Map([
  ["http", "80"],
  ["https", "443"],
  ["ws", "80"],
  ["wss", "443"],
  ["ftp", "21"],
]);

/** Returns whether a URL without a port uses this one. */
function isDefault({ scheme, port }: Located, of: string): boolean {
  return port === "" && PORTS.get(scheme) === of;
}

const NOT_A_HOST = "must be a host, such as docs.example, *.example.org or docs.example:8443";

/** Splits an entry into its parts. Returns what is wrong if no URL could be compared with it. */
export function parseHost(text: string): AllowedHost | string {
  if (/[/?#@\\\s]/.test(text)) return `${NOT_A_HOST}, without a scheme and a path`;
  const isSuffix = text.startsWith("*.");
  const [, host = "", port = ""] =
    /^(\[[^\]]*\]|[^:[\]]+)(?::([0-9]{1,5}|\*))?$/.exec(isSuffix ? text.slice(2) : text) ?? [];
  if (host === "" || host.includes("*")) return NOT_A_HOST;
  // An address after a name is not a host.
  const located = locate(`http://${isSuffix ? "a." : ""}${host}/`);
  if (located === undefined) {
    return `${NOT_A_HOST}; write a name with non-ASCII letters in its "xn--" form, and an address in decimal`;
  }
  const { hostname } = located;
  if (port !== "" && port !== "*" && Number(port) > 65_535) return "must have a port up to 65535";
  return {
    name: isSuffix ? hostname.slice(1) : hostname,
    isSuffix,
    port: port === "" || port === "*" ? port : String(Number(port)),
  };
}

const HOSTS: KeywordShape<AllowedHosts> = {
  read(from, keyword) {
    const value = from.value(keyword);
    if (value === undefined) return undefined;
    const isLong = isObject(value);
    const tokens = isLong ? [keyword, "names"] : [keyword];
    const written = namesAt(from, isLong ? value["names"] : value, ...tokens);
    const hosts = written.map((text, i) => readHost(from, text, ...tokens, String(i)));
    const given = isLong ? value["schemes"] : undefined;
    const schemes = given === undefined ? DEFAULT_SCHEMES : readSchemes(from, given, keyword);
    return { written, hosts, schemes };
  },
  write: ({ written, schemes }) =>
    schemes === DEFAULT_SCHEMES ? [...written] : { names: [...written], schemes: [...schemes] },
};

function readHost(from: SchemaReader, text: string, ...tokens: readonly string[]): AllowedHost {
  const host = parseHost(text);
  if (typeof host === "string") throw from.wrong(host, ...tokens);
  return host;
}

function readSchemes(from: SchemaReader, value: unknown, keyword: string): readonly string[] {
  const schemes = namesAt(from, value, keyword, "schemes");
  for (const [i, scheme] of schemes.entries()) {
    if (SCHEME.test(scheme)) continue;
    throw from.wrong("must be a scheme without a colon", keyword, "schemes", String(i));
  }
  return schemes.map((scheme) => scheme.toLowerCase());
}

function demanded(names: unknown, schemes: unknown): string {
  const list = (texts: unknown, write: (text: string) => string): string =>
    Array.isArray(texts) ? wordList(texts.map(String).map(write), MAX_LISTED) : "";
  const scheme = list(schemes, (text) => text);
  return `must be a URL (${scheme}) of the host ${list(names, (text) => quote(text, 120))}`;
}

/** How often the check reads a URL. */
const READINGS = 16;

/**
 * `hosts`, of the vocabulary `policy`: a URL, or each URL in an array, has one of these hosts. Any other value fails.
 */
export const hosts: Keyword = keyword({
  name: "hosts",
  vocabulary: "policy",
  since: "2020-12",
  shape: HOSTS,
  appliesTo: "any",
  issueClass: "policy",
  explain: {
    received: "length",
    demand: ({ params }) => demanded(params["hosts"], params["schemes"]),
  },
  compile: (node) => {
    const value = node.hosts;
    if (value === undefined) return undefined;
    const { written, schemes } = value;
    const wording = () => ({
      message: demanded(written, schemes),
      params: { hosts: written, schemes },
    });
    return textOrItemsCheck((run, item, place) => {
      if (typeof item === "string") {
        spendSteps(run, READINGS * textCost(item) + value.hosts.length);
        if (matchesHosts(item, value)) return true;
      }
      return reportFailure(run, node, "hosts", item, place, wording);
    });
  },
});
