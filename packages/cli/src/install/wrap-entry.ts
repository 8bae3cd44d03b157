import { entryKeyHint, OFF } from "@touchstone/gateway/config";
import { isWrapName } from "../wrap-name.ts";
import {
  type Edit,
  type Entry,
  endOf,
  membersOf,
  type Node,
  rawText,
  stringsOf,
} from "./entries.ts";
import { layoutOf, wordsBefore } from "./layout.ts";
import { wrappedBy } from "./wrapped.ts";

/** How servers are to be started. */
export interface WrapHow {
  /** The program in the place of a server's own, and its arguments in front of `wrap`. */
  readonly command: string;
  readonly args: readonly string[];
  /** Options of `touchstone wrap` for every server. */
  readonly options: readonly string[];
}

/** The edits of one entry, or why it stays as it is. */
export type Change = { readonly edits: readonly Edit[] } | { readonly left: string };

/** Transports of url entries that `wrap --url` speaks; `http` is what uninstall takes for granted. */
const HTTP_TYPES: ReadonlySet<string> = new Set(["http", "streamable-http", "streamableHttp"]);
/** A token (RFC 9110, section 5.6.2), without `=`, which no token has. */
const HEADER = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** The name of the variable that holds the nth header of a server. */
function headerVariable(index: number): string {
  return `TOUCHSTONE_HEADER_${index + 1}`;
}

/**
 * The edits that put `touchstone wrap` in front of a server.
 * @param named whether the user named this server
 */
export function wrapEntry(text: string, entry: Entry, how: WrapHow, named: boolean): Change {
  const { name, members, duplicate } = entry;
  if (duplicate !== undefined) return { left: `the key "${duplicate}" stands twice in it` };
  if (wrappedBy(entry) !== undefined) return { left: "is wrapped already" };
  const isOff = Object.entries(OFF).some(([key, off]) => members.get(key)?.value.value === off);
  if (isOff && !named) {
    return { left: "is disabled; name it to wrap it" };
  }
  if (!isWrapName(name)) return { left: "wrap takes no such name; give it another" };
  if (members.has("command") && members.has("url")) return { left: "has a command and a url" };
  if (members.has("command")) return wrapCommand(text, entry, how);
  if (members.has("url")) return wrapUrl(text, entry, how, named);
  return { left: withoutWay([...members.keys()]) };
}

/** Clients' own names for the URL of a server that speaks Streamable HTTP. */
const OTHER_URLS: readonly string[] = ["serverUrl", "httpUrl"];

/** Why an entry with neither a command nor a url is left. */
function withoutWay(keys: readonly string[]): string {
  const other = OTHER_URLS.find((key) => keys.includes(key));
  if (other !== undefined) {
    return `is reached by ${other}, which this does not rewrite; wrap it by hand`;
  }
  const meant = keys.flatMap((key) => {
    const hint = entryKeyHint(key, ["command", "url"]);
    return hint === "" ? [] : [`; ${JSON.stringify(key)} is not read${hint}`];
  });
  return `has no command and no url${meant.join("")}`;
}

function quoted(words: readonly string[]): readonly string[] {
  return words.map((word) => JSON.stringify(word));
}

function wrapCommand(text: string, { name, members }: Entry, how: WrapHow): Change {
  const started = members.get("command");
  const command = started?.value;
  const args = members.get("args")?.value;
  if (started === undefined || command?.type !== "string")
    return { left: "its command is no text" };
  if (args !== undefined && stringsOf(args) === undefined) {
    return { left: "its args are no list of texts" };
  }
  const options = [...how.args, "wrap", "--name", name, ...how.options];
  const own = rawText(text, command);
  const layout = layoutOf(text, started);
  const replaced = {
    start: command.offset,
    end: endOf(command),
    text: JSON.stringify(how.command),
  };
  if (args === undefined) {
    // The note tells uninstall to take the list out again.
    const words = [...quoted([...options, "--installed", "no-args", "--"]), own];
    const list = `"args"${layout.colon}[${words.join(layout.comma)}]`;
    return { edits: [{ ...replaced, text: `${replaced.text}${layout.member}${list}` }] };
  }
  const start = args.offset + 1;
  const words = wordsBefore(text, args, [...quoted([...options, "--"]), own], layout.comma);
  return { edits: [replaced, { start, end: start, text: words }] };
}

/** Why a URL cannot stand on a command line, which everybody on the machine may read. */
function urlFault(value: Node): string | undefined {
  const url = value.type === "string" ? String(value.value) : "";
  if (url.includes("${")) return "its url holds a variable, which may be a secret: use a header";
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return "its url is no http: or https: URL";
  const { search, hash, username, password } = new URL(url);
  return `${search}${hash}${username}${password}` === ""
    ? undefined
    : "its url holds more than a place, which may be a secret: use a header";
}

function wrapUrl(text: string, { name, members }: Entry, how: WrapHow, named: boolean): Change {
  const url = members.get("url");
  const type = members.get("type")?.value;
  const headers = members.get("headers");
  if (url === undefined) return { left: "has no url" };
  const kind = type === undefined ? "http" : String(type.value);
  if (!HTTP_TYPES.has(kind)) return { left: `speaks "${kind}", which wrap does not` };
  const fault = urlFault(url.value);
  if (fault !== undefined) return { left: fault };
  if (members.has("args") || members.has("env")) return { left: "has args or env beside a url" };
  if (
    rawText(text, url.key) !== '"url"' ||
    (headers && rawText(text, headers.key) !== '"headers"')
  ) {
    return { left: "its keys are written with escapes" };
  }
  const fields = headers === undefined ? [] : [...membersOf(headers.value)];
  if (fields.length === 0 && !named) {
    const why = "a wrapped server cannot use the client's own login (OAuth)";
    return { left: `has no headers, and ${why}; name it to wrap it all the same` };
  }
  if (headers !== undefined && headers.value.type !== "object")
    return { left: "its headers are no object" };
  for (const [field, { value }] of fields) {
    if (value.type !== "string" || !HEADER.test(field))
      return { left: "its headers are no texts by name" };
  }
  // Their case does not count (RFC 9110, section 5.1).
  const names = new Set(fields.map(([field]) => field.toLowerCase()));
  if ((headers?.value.children?.length ?? 0) !== names.size)
    return { left: "a header stands twice in it" };
  const options = [...how.args, "wrap", "--name", name, ...how.options];
  const note = kind === "http" ? [] : ["--installed", `type=${kind}`];
  const variables = fields.flatMap(([, { key }], index) => {
    const raw = rawText(text, key).slice(1, -1);
    return ['"--header-env"', `"${raw}=${headerVariable(index)}"`];
  });
  const layout = layoutOf(text, url);
  const between = text.slice(endOf(url.key), url.value.offset);
  const before = quoted([...options, ...note, "--url"]);
  const words = [...before, rawText(text, url.value), ...variables].join(layout.comma);
  const command = `"command"${layout.colon}${JSON.stringify(how.command)}`;
  const replaced = `${command}${layout.member}"args"${between}[${words}]`;
  return {
    edits: [
      { start: url.property.offset, end: endOf(url.property), text: replaced },
      ...(type === undefined ? [] : [{ start: type.offset, end: endOf(type), text: '"stdio"' }]),
      ...(headers === undefined
        ? []
        : [{ start: headers.key.offset, end: endOf(headers.key), text: '"env"' }]),
      ...fields.map(([, { key }], index) => ({
        ...{ start: key.offset, end: endOf(key) },
        text: `"${headerVariable(index)}"`,
      })),
    ],
  };
}
