import { DISABLING_KEYS, entryKeyHint, parseUrl } from "@touchstone/gateway/config";
import { isWrapName } from "../wrap/wrap-name.ts";
import {
  type Edit,
  type Entry,
  type Member,
  membersOf,
  type Node,
  nodeEnd,
  rawText,
  stringsOf,
} from "./entries.ts";
import {
  insertAtStart,
  layoutOf,
  lineBreakOf,
  lineEnd,
  lineStart,
  yamlDashBefore,
} from "./layout.ts";
import { readWrappedEntry } from "./wrapped.ts";

/** The command with which clients should start servers. */
export interface WrapCommand {
  /** The program that replaces a server's own, and its arguments before `wrap`. */
  readonly command: string;
  readonly args: readonly string[];
  /** Options of `touchstone wrap` that every server gets. */
  readonly options: readonly string[];
}

/** The edits of one entry, or why it is not changed. */
export type Change =
  | {
      readonly edits: readonly Edit[];
      /** A description of the changes; absent if they wrap or restore the entry. */
      readonly said?: string;
    }
  | { readonly left: string };

/** Transports of url entries that `wrap --url` supports; uninstall assumes `http`. */
const HTTP_TYPES: ReadonlySet<string> = new Set([
  ...["http", "streamable-http", "streamableHttp"],
  // opencode's.
  "remote",
]);
/** A token (RFC 9110, section 5.6.2), which never contains `=`. */
const HEADER = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Returns the name of the variable for a server's header at an index. */
function headerVariable(index: number): string {
  return `TOUCHSTONE_HEADER_${index + 1}`;
}

/**
 * Returns the edits that put `touchstone wrap` in front of a server.
 * @param named whether the user named this server explicitly
 */
export function wrapEntry(text: string, entry: Entry, how: WrapCommand, named: boolean): Change {
  const { name, members, duplicate } = entry;
  if (duplicate !== undefined) return { left: `the key "${duplicate}" occurs twice` };
  if (readWrappedEntry(entry) !== undefined) return { left: "already wrapped" };
  if (isEntryDisabled(entry) && !named) return { left: "disabled; name it to wrap it" };
  if (!isWrapName(name)) return { left: "wrap does not accept this name; rename it" };
  const urls = URL_KEYS.filter((key) => members.has(key));
  if (members.has("command") && urls.length > 0) return { left: "has a command and a url" };
  if (members.get("command")?.value.type === "array") return wrapList(text, entry, how);
  if (members.has("command")) return wrapCommand(text, entry, how);
  if (urls.length > 1) return { left: `has ${urls.join(" and ")}; remove one` };
  if (urls.length > 0 && entry.format !== undefined) return { left: byHand(entry, how) };
  if (urls.length > 0) return wrapUrl(text, entry, how, named);
  return { left: withoutWay([...members.keys()]) };
}

/** Returns whether a server is switched off in its client. */
export function isEntryDisabled({ members }: Entry): boolean {
  return Object.entries(DISABLING_KEYS).some(([key, off]) => members.get(key)?.value.value === off);
}

/** The keys that hold the URL of a server. Gemini CLI's `httpUrl` is always Streamable HTTP. */
const URL_KEYS: readonly string[] = ["url", "httpUrl"];
/** Other keys for the URL of a Streamable HTTP server; entries with them stay unchanged. */
const OTHER_URLS: readonly string[] = ["serverUrl"];

/** Returns what to write by hand, for formats in which URLs are not rewritten. */
function byHand({ name, members, format }: Entry, how: WrapCommand): string {
  const why = "reached by url, which is not rewritten in such a file";
  const url = members.get("url")?.value;
  if (url === undefined || urlFault(url) !== undefined) return `${why}; wrap it by hand`;
  const words = [...how.args, "wrap", "--name", name, ...how.options, "--url", String(url.value)];
  const is = format === "toml" ? " =" : ":";
  const list = quoted(words).join(", ");
  const entry = `command${is} ${JSON.stringify(how.command)}, args${is} [${list}]`;
  return `${why}; write ${entry} instead, with --header-env NAME=VARIABLE for each header`;
}

/** Returns why an entry with neither a command nor a URL is not changed. */
function withoutWay(keys: readonly string[]): string {
  const other = OTHER_URLS.find((key) => keys.includes(key));
  if (other !== undefined) {
    return `reached by ${other}, which this does not rewrite; wrap it by hand`;
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

/** Inserts wrap into opencode's list, which contains both the program and its arguments. */
function wrapList(text: string, { name, members }: Entry, how: WrapCommand): Change {
  const started = members.get("command");
  const list = started?.value;
  if (started === undefined || list === undefined || (stringsOf(list) ?? []).length === 0) {
    return { left: "its command is not a list of strings" };
  }
  const words = quoted([how.command, ...how.args, "wrap", "--name", name, ...how.options, "--"]);
  const start = list.offset + 1;
  const put = insertAtStart(text, list, words, layoutOf(text, started).comma);
  return { edits: [{ start, end: start, text: put }] };
}

/** An unquoted YAML word that has the same meaning inside a list in brackets. */
const PLAIN = /^[A-Za-z0-9_./~\\](?:[^\s,[\]{}#:]|:(?=[^\s,]))*$/;

function wrapCommand(
  text: string,
  { name, members, format, inline }: Entry,
  how: WrapCommand,
): Change {
  const started = members.get("command");
  const command = started?.value;
  const args = members.get("args")?.value;
  if (started === undefined || command?.type !== "string")
    return { left: "its command is not text" };
  if (args !== undefined && stringsOf(args) === undefined) {
    return { left: "its args are not a list of texts" };
  }
  const options = [...how.args, "wrap", "--name", name, ...how.options];
  const own = rawText(text, command);
  if (format === "yaml" && !/^["']/.test(own) && !PLAIN.test(own)) {
    return { left: "its command holds more than a plain word; put it into quotes" };
  }
  const layout = format === undefined ? layoutOf(text, started) : OTHER_LAYOUT;
  const replaced = {
    start: command.offset,
    end: nodeEnd(command),
    text: JSON.stringify(how.command),
  };
  if (args === undefined) {
    // The option makes uninstall remove the list again.
    const words = [...quoted([...options, "--installed", "no-args", "--"]), own];
    if (format !== undefined) {
      const list = `args${format === "toml" ? " = " : ": "}[${words.join(layout.comma)}]`;
      if (inline === true) {
        return { edits: [{ ...replaced, text: `${replaced.text}, ${list}` }] };
      }
      // On a separate line, after any comment that follows the command.
      const end = lineEnd(text, nodeEnd(command));
      const indent = " ".repeat(started.key.offset - lineStart(text, started.key.offset));
      const line =
        lineBreakOf(text) + (format === "toml" ? indentOf(text, started) : indent) + list;
      return { edits: [replaced, { start: end, end, text: line }] };
    }
    const list = `"args"${layout.colon}[${words.join(layout.comma)}]`;
    return { edits: [{ ...replaced, text: `${replaced.text}${layout.member}${list}` }] };
  }
  const put = [...quoted([...options, "--"]), own];
  const [first] = args.children ?? [];
  if (format === "yaml" && text[args.offset] !== "[") {
    const dash = first === undefined ? undefined : yamlDashBefore(text, first);
    if (first === undefined || dash === undefined) {
      return { left: "its args are not a list with one text on each line" };
    }
    const start = lineStart(text, first.offset);
    const lines = put.map((word) => dash + word + lineBreakOf(text)).join("");
    return { edits: [replaced, { start, end: start, text: lines }] };
  }
  const start = args.offset + 1;
  const words = insertAtStart(text, args, put, layout.comma);
  return { edits: [replaced, { start, end: start, text: words }] };
}

const OTHER_LAYOUT = { colon: ": ", comma: ", ", member: "" } as const;

/** Returns the white space before a member on its line. */
function indentOf(text: string, { key }: Member): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, key.offset), key.offset))?.[0] ?? "";
}

/** Returns why a URL must not be on a command line, which everyone on the machine can read. */
function urlFault(value: Node): string | undefined {
  const url = value.type === "string" ? String(value.value) : "";
  if (/\$\{|\{env:|\{file:/.test(url))
    return "its url contains a variable, which may be a secret: use a header";
  const parsed = /^https?:/i.test(url) ? parseUrl(url) : undefined;
  if (parsed === undefined) return "its url is not an http: or https: URL";
  const { search, hash, username, password } = parsed;
  return `${search}${hash}${username}${password}` === ""
    ? undefined
    : "its url contains more than an address, which may be a secret: use a header";
}

function wrapUrl(
  text: string,
  { name, members, bareUrl }: Entry,
  how: WrapCommand,
  named: boolean,
): Change {
  const key = URL_KEYS.find((each) => members.has(each)) ?? "";
  const url = members.get(key);
  // mcpproxy calls the transport "protocol".
  const type = (members.get("type") ?? members.get("protocol"))?.value;
  const headers = members.get("headers");
  if (url === undefined) return { left: "has no url" };
  if (type === undefined && key === "url" && bareUrl === "sse") {
    return {
      left: 'has a url without a type, which this client reaches over "sse"; wrap does not',
    };
  }
  const kind = type === undefined ? "http" : String(type.value);
  if (!HTTP_TYPES.has(kind)) return { left: `speaks "${kind}", which wrap does not` };
  const isOpencode = kind === "remote";
  const fault = urlFault(url.value);
  if (fault !== undefined) return { left: fault };
  if (["args", "env", "environment"].some((each) => members.has(each)))
    return { left: "has args or env in addition to a url" };
  if (
    rawText(text, url.key) !== `"${key}"` ||
    (headers && rawText(text, headers.key) !== '"headers"')
  ) {
    return { left: "its keys are written with escapes" };
  }
  const fields = headers === undefined ? [] : [...membersOf(headers.value)];
  if (fields.length === 0 && !named) {
    const why = "a wrapped server cannot use the client's own login (OAuth)";
    return { left: `has no headers, and ${why}; name it to wrap it anyway` };
  }
  if (headers !== undefined && headers.value.type !== "object")
    return { left: "its headers are not an object" };
  for (const [field, { value }] of fields) {
    if (value.type !== "string" || !HEADER.test(field))
      return { left: "its headers are not texts by name" };
  }
  // Header names are case-insensitive (RFC 9110, section 5.1).
  const names = new Set(fields.map(([field]) => field.toLowerCase()));
  if ((headers?.value.children?.length ?? 0) !== names.size)
    return { left: "a header occurs twice" };
  const options = [...how.args, "wrap", "--name", name, ...how.options];
  const note = [
    ...(kind === "http" ? [] : ["--installed", `type=${kind}`]),
    ...(key === "url" ? [] : ["--installed", `key=${key}`]),
  ];
  const variables = fields.flatMap(([, { key }], index) => {
    const raw = rawText(text, key).slice(1, -1);
    return ['"--header-env"', `"${raw}=${headerVariable(index)}"`];
  });
  const layout = layoutOf(text, url);
  const between = text.slice(nodeEnd(url.key), url.value.offset);
  const before = quoted([...options, ...note, "--url"]);
  const words = [...before, rawText(text, url.value), ...variables].join(layout.comma);
  const program = JSON.stringify(how.command);
  const replaced = isOpencode
    ? `"command"${between}[${program}${layout.comma}${words}]`
    : `"command"${layout.colon}${program}${layout.member}"args"${between}[${words}]`;
  const stdio = isOpencode ? '"local"' : '"stdio"';
  const held = isOpencode ? '"environment"' : '"env"';
  return {
    edits: [
      { start: url.property.offset, end: nodeEnd(url.property), text: replaced },
      ...(type === undefined ? [] : [{ start: type.offset, end: nodeEnd(type), text: stdio }]),
      ...(headers === undefined
        ? []
        : [{ start: headers.key.offset, end: nodeEnd(headers.key), text: held }]),
      ...fields.map(([, { key }], index) => ({
        ...{ start: key.offset, end: nodeEnd(key) },
        text: `"${headerVariable(index)}"`,
      })),
    ],
  };
}
