import {
  type Edit,
  type Entry,
  type Member,
  membersOf,
  type Node,
  nodeEnd,
  rawText,
} from "./entries.ts";
import { endOfInserted, lineStart } from "./layout.ts";
import type { Change } from "./wrap-entry.ts";
import { readWrappedEntry, type WrappedEntry } from "./wrapped.ts";

/** Returns the edits that restore a server's entry to its form before `wrapEntry`. */
export function unwrapEntry(text: string, entry: Entry): Change {
  const { members, duplicate } = entry;
  const wrapped = readWrappedEntry(entry);
  if (wrapped === undefined) return { left: "not wrapped" };
  if (duplicate !== undefined) return { left: `the key "${duplicate}" occurs twice` };
  const command = members.get("command");
  const args = members.get("args");
  if (command === undefined) return { left: "not wrapped" };
  if (command.value.type === "array" && wrapped.command !== undefined) {
    const last = wrapped.items[wrapped.command - 1];
    if (last === undefined) return { left: "names no command to wrap" };
    const start = command.value.offset + 1;
    return { edits: [{ start, end: endOfInserted(text, command.value, last), text: "" }] };
  }
  if (command.value.type !== "array" && args === undefined) return { left: "not wrapped" };
  return wrapped.command === undefined
    ? unwrapUrl(text, entry, wrapped, { command, args })
    : unwrapCommand(text, entry, wrapped, wrapped.command, { command, args: args ?? command });
}

/** The text between a member and the next one if only a comma and white space separate them. */
const NEXT = /^,[ \t\r\n]*$/;

interface Started {
  readonly command: Member;
  /** Absent if the command is in the same list. */
  readonly args: Member | undefined;
}

function notes({ args, options }: WrappedEntry): readonly string[] {
  return (options.get("--installed") ?? []).map((at) => args[at] ?? "");
}

/** Returns the value that install has stored after a prefix. */
function noted(wrapped: WrappedEntry, word: string): string | undefined {
  return notes(wrapped)
    .find((note) => note.startsWith(word))
    ?.slice(word.length);
}

function unwrapCommand(
  text: string,
  { format, inline }: Entry,
  wrapped: WrappedEntry,
  place: number,
  { command, args }: Started & { readonly args: Member },
): Change {
  const { items } = wrapped;
  const own = items[place];
  if (own === undefined) return { left: "names no command to wrap" };
  const program = replacedBy(command, rawText(text, own));
  if (notes(wrapped).includes("no-args") && place === items.length - 1) {
    const gap = text.slice(nodeEnd(command.value), args.property.offset);
    if (format !== undefined && inline !== true) {
      const line = lineStart(text, args.property.offset);
      const start = Math.max(0, text[line - 2] === "\r" ? line - 2 : line - 1);
      return { edits: [program, { start, end: nodeEnd(args.property), text: "" }] };
    }
    if (NEXT.test(gap)) return { edits: [{ ...program, end: nodeEnd(args.property) }] };
    return { edits: [program, memberRemoval(text, args.property)] };
  }
  if (format === "yaml" && text[args.value.offset] !== "[") {
    const [first] = items;
    const from = lineStart(text, first?.offset ?? 0);
    const to = text.indexOf("\n", nodeEnd(own)) + 1;
    const lines = { start: from, end: to === 0 ? text.length : to, text: "" };
    return { edits: [program, lines] };
  }
  const end = endOfInserted(text, args.value, own, format ?? "json");
  return { edits: [program, { start: args.value.offset + 1, end, text: "" }] };
}

function replacedBy({ value }: Member, text: string): Edit {
  return { start: value.offset, end: nodeEnd(value), text };
}

function unwrapUrl(
  text: string,
  { members }: Entry,
  wrapped: WrappedEntry,
  { command, args }: Started,
): Change {
  const { items } = wrapped;
  const [place] = wrapped.options.get("--url") ?? [];
  const url = place === undefined ? undefined : items[place];
  if (url === undefined) return { left: "names no url and no command to wrap" };
  if (wrapped.options.has("--header")) {
    return {
      left: 'has headers on its command line; replace it with "url" and "headers" by hand',
    };
  }
  const env = members.get("env") ?? members.get("environment");
  const renamed = headerEdits(text, items, wrapped, env);
  if (renamed === undefined) {
    return { left: "its env must hold only its headers; change that first" };
  }
  const held = args ?? command;
  const between = text.slice(nodeEnd(held.key), held.value.offset);
  const key = JSON.stringify(noted(wrapped, "key=") ?? "url");
  const member = `${key}${between}${rawText(text, url)}`;
  const gap = args === undefined ? "" : text.slice(nodeEnd(command.property), args.property.offset);
  const started: Edit[] =
    args === undefined || NEXT.test(gap)
      ? [{ start: command.property.offset, end: nodeEnd(held.property), text: member }]
      : [
          { start: args.property.offset, end: nodeEnd(args.property), text: member },
          memberRemoval(text, command.property),
        ];
  const type = (members.get("type") ?? members.get("protocol"))?.value;
  const kind = JSON.stringify(noted(wrapped, "type=") ?? "http");
  return {
    edits: [
      ...started,
      ...(type === undefined ? [] : [{ start: type.offset, end: nodeEnd(type), text: kind }]),
      ...renamed,
    ],
  };
}

/** Returns headers under their original names; undefined if the variables do not match the headers. */
function headerEdits(
  text: string,
  items: readonly Node[],
  { options }: WrappedEntry,
  env: Member | undefined,
): readonly Edit[] | undefined {
  const places = options.get("--header-env") ?? [];
  const names = new Map<string, string>();
  for (const place of places) {
    const item = items[place];
    const raw = item === undefined ? "" : rawText(text, item).slice(1, -1);
    const equals = raw.lastIndexOf("=");
    names.set(raw.slice(equals + 1), raw.slice(0, equals));
  }
  const variables = env === undefined ? new Map<string, Member>() : membersOf(env.value);
  if (variables.size !== names.size) return undefined;
  const edits: Edit[] = [];
  for (const [variable, { key }] of variables) {
    const name = names.get(variable);
    if (name === undefined) return undefined;
    edits.push({ start: key.offset, end: nodeEnd(key), text: `"${name}"` });
  }
  if (env !== undefined) {
    edits.push({ start: env.key.offset, end: nodeEnd(env.key), text: '"headers"' });
  }
  return edits;
}

/** Removes a member with the comma before it, or after it if it is the first. */
export function memberRemoval(text: string, { offset, length }: Node): Edit {
  const before = /,\s*$/.exec(text.slice(0, offset));
  if (before !== null) return { start: before.index, end: offset + length, text: "" };
  const after = /^\s*,\s*/.exec(text.slice(offset + length));
  return { start: offset, end: offset + length + (after?.[0].length ?? 0), text: "" };
}
