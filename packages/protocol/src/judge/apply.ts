import {
  arrayItems,
  type Check,
  encodeUtf8,
  type Issue,
  type JsonRange,
  scanJson,
} from "@touchstone/core";
import type { Frame } from "../frame.ts";
import { compiledMessage, itemsKey } from "../messages/compiled.ts";
import type { MessageTable, Method } from "../messages/message-table.ts";
import { ANY, OBJECT, type Properties } from "../messages/schema.ts";
import type { Findings, ItemFaults } from "./message-check.ts";
import type { Part } from "./parts.ts";

/** Nesting was judged with the frame; schemas of messages do not follow it further down. */
const MAX_DEPTH = 1_000_000;

/** An issue of a part as one of the message. */
function inMessage({ path, message, keyword, instancePath, params }: Issue, at: string): Issue {
  return {
    path: at + path,
    message,
    rule: "protocol",
    ...(keyword === undefined ? {} : { keyword }),
    ...(instancePath === undefined ? {} : { instancePath: at + instancePath }),
    ...(params === undefined ? {} : { params }),
  };
}

/** What was found where a schema applied; undefined where it could not be applied in time. */
function issuesOf(check: Check, at: string): { issues: Issue[]; more: number } | undefined {
  if (check.outcome === "pass") return { issues: [], more: 0 };
  if (check.outcome !== "violation") return undefined;
  // An `if` only repeats that the branch which it chose has failed.
  const told = check.errors.filter(({ keyword }) => keyword !== "if");
  const issues = (told.length > 0 ? told : check.errors).map((issue) => inMessage(issue, at));
  return { issues, more: check.truncated ?? 0 };
}

function checkSlice(
  table: MessageTable,
  definition: string,
  bytes: Uint8Array,
  maxIssues: number,
): Check {
  const limits = { maxBytes: Math.max(1, bytes.length), maxDepth: MAX_DEPTH, maxIssues };
  return compiledMessage(table, definition).check(bytes, limits);
}

const ITEM_PATH = /^\/(\d+)/;

/** Issues of a whole list by the item that they are in. */
function byItem(issues: readonly Issue[], at: string): ItemFaults[] {
  const items = new Map<number, Issue[]>();
  for (const issue of issues) {
    const item = Number(ITEM_PATH.exec(issue.path)?.[1]);
    const known = items.get(item);
    const own = inMessage(issue, at);
    if (known === undefined) items.set(item, [own]);
    else known.push(own);
  }
  return [...items].map(([item, found]) => ({ item, path: `${at}/${item}`, issues: found }));
}

function itemsOf(
  table: MessageTable,
  bytes: Uint8Array,
  list: NonNullable<Method["list"]>,
  maxIssues: number,
): ItemFaults[] {
  const at = `/${list.member}`;
  const range: JsonRange | undefined = scanJson(bytes, {
    members: { [list.member]: true },
  }).members.get(at);
  if (range === undefined || arrayItems(bytes, range).next().done === true) return [];
  const slice = bytes.subarray(range.start, range.end);
  const check = checkSlice(table, itemsKey(list.item), slice, maxIssues);
  if (check.outcome !== "violation") return [];
  const told = check.errors.filter(({ keyword }) => keyword !== "if");
  return byItem(told.length > 0 ? told : check.errors, `/result${at}`);
}

/** Members that may be long, and of which a definition may ask for no more than the type. */
const BULKY = ["arguments", "structuredContent"];
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;
const EMPTY: ReadonlyMap<number | undefined, Uint8Array> = new Map([
  [OPEN_OBJECT, encodeUtf8("{}")],
  [OPEN_ARRAY, encodeUtf8("[]")],
]);

/**
 * The text of a part, with an empty object or array in the place of one into which its definition
 * does not look: the verdict is the same, and it need not be parsed.
 */
function textOf(frame: Frame, table: MessageTable, { range, at, definition }: Part): Uint8Array {
  const { bytes } = frame;
  const properties = table.definitions[definition]?.["properties"] as Properties | undefined;
  for (const name of BULKY) {
    const schema = properties?.[name];
    if (schema !== OBJECT && schema !== ANY) continue;
    const member = frame.range(`${at}/${name}`);
    const empty = member && EMPTY.get(bytes[member.start]);
    if (member === undefined || empty === undefined) continue;
    const text = new Uint8Array(
      range.end - range.start - (member.end - member.start) + empty.length,
    );
    text.set(bytes.subarray(range.start, member.start));
    text.set(empty, member.start - range.start);
    text.set(bytes.subarray(member.end, range.end), member.start - range.start + empty.length);
    return text;
  }
  return bytes.subarray(range.start, range.end);
}

/** Judges a part of a message by its definition. */
export function applyPart(
  frame: Frame,
  table: MessageTable,
  part: Part,
  maxIssues: number,
  findings: Findings,
): void {
  const { at, definition, list } = part;
  const bytes = textOf(frame, table, part);
  const found = issuesOf(checkSlice(table, definition, bytes, maxIssues), at);
  if (found === undefined) {
    findings.envelopeOnly = true;
    return;
  }
  findings.issues.push(...found.issues);
  findings.more += found.more;
  if (list !== undefined && found.issues.length === 0) {
    findings.items.push(...itemsOf(table, bytes, list, maxIssues));
  }
}
