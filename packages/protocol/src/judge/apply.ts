import { arrayItems, type Check, type Issue, madeOf, scanJson } from "@touchstone/core";
import type { Frame } from "../frame.ts";
import { compiledMessage, itemsKey } from "../messages/compiled.ts";
import type { MessageTable, Method } from "../messages/message-table.ts";
import { ANY, OBJECT, type Properties } from "../messages/schema.ts";
import { byItem, joinItems } from "./items.ts";
import type { Findings, ItemFaults } from "./message-check.ts";
import { isOutlined } from "./outline.ts";
import type { Part } from "./parts.ts";

/** Nesting was judged with the frame; schemas of messages do not follow it further down. */
const MAX_DEPTH = 1_000_000;

/** An issue of a part as one of the message. */
function inMessage(issue: Issue, at: string): Issue {
  const { path, message, keyword, instancePath, params } = issue;
  const moved: Issue = {
    path: at + path,
    message,
    rule: "protocol",
    ...(keyword === undefined ? {} : { keyword }),
    ...(instancePath === undefined ? {} : { instancePath: at + instancePath }),
    ...(params === undefined ? {} : { params }),
  };
  return madeOf(moved, issue);
}

/** What broke a schema; undefined where it was not broken, or could not be applied in time. */
function issuesOf(check: Check, at: string): { issues: Issue[]; more: number } | undefined {
  if (check.outcome !== "violation") return undefined;
  // An `if` only repeats that the branch which it chose has failed.
  const told = check.errors.filter(({ keyword }) => keyword !== "if");
  const issues = (told.length > 0 ? told : check.errors).map((issue) => inMessage(issue, at));
  return { issues, more: check.truncated ?? 0 };
}

/** Up to this size a part is decoded first, which core reads quicker than bytes. */
const SHORT = 2_048;
const MAX_BYTES = Number.MAX_SAFE_INTEGER;

function checkPart(
  table: MessageTable,
  key: string,
  text: Uint8Array | string,
  maxIssues: number,
): Check {
  const limits = { maxBytes: MAX_BYTES, maxDepth: MAX_DEPTH, maxIssues };
  return compiledMessage(table, key).check(text, limits);
}

function itemsOf(
  table: MessageTable,
  bytes: Uint8Array,
  { member, item }: NonNullable<Method["list"]>,
  maxIssues: number,
): ItemFaults[] {
  const at = `/${member}`;
  const { members } = scanJson(bytes, { members: { [member]: true }, maxDepth: MAX_DEPTH });
  const range = members.get(at);
  if (range === undefined || arrayItems(bytes, range).next().done === true) return [];
  const slice = bytes.subarray(range.start, range.end);
  const check = checkPart(table, itemsKey(item), slice, maxIssues);
  const list = `/result${at}`;
  return byItem(issuesOf(check, list)?.issues ?? [], list);
}

/** Members that may be long, and of which a definition may ask for no more than the type. */
const BULKY = [
  { name: "arguments", at: "/params", pointer: "/params/arguments" },
  { name: "structuredContent", at: "/result", pointer: "/result/structuredContent" },
] as const;
const EMPTY: ReadonlyMap<number | undefined, string> = new Map([
  [0x7b, "{}"],
  [0x5b, "[]"],
]);

/**
 * The text of a part, with an empty object or array in the place of one into which its definition
 * does not look: the verdict is the same, and it need not be parsed.
 */
function textOf(
  frame: Frame,
  table: MessageTable,
  { range, at, definition }: Part,
): Uint8Array | string {
  const { bytes } = frame;
  const properties = table.definitions[definition]?.["properties"] as Properties | undefined;
  const bulky = BULKY.find((member) => member.at === at);
  const schema = bulky && properties?.[bulky.name];
  const open = schema === OBJECT || schema === ANY;
  const member = bulky !== undefined && open ? frame.range(bulky.pointer) : undefined;
  const empty = member && EMPTY.get(bytes[member.start]);
  if (member === undefined || empty === undefined) {
    const short = range.end - range.start <= SHORT;
    return short ? frame.text(range) : bytes.subarray(range.start, range.end);
  }
  const before = { start: range.start, end: member.start };
  return frame.text(before) + empty + frame.text({ start: member.end, end: range.end });
}

/** Judges a part of a message by its definition. */
export function applyPart(
  frame: Frame,
  table: MessageTable,
  part: Part,
  maxIssues: number,
  findings: Findings,
): void {
  const { at, definition, list, range } = part;
  const outlined = isOutlined(frame, table, definition, at, range);
  const check = outlined
    ? undefined
    : checkPart(table, definition, textOf(frame, table, part), maxIssues);
  if (check !== undefined && check.outcome !== "pass") {
    const found = issuesOf(check, at);
    if (found === undefined) {
      findings.envelopeOnly = true;
      return;
    }
    findings.more += found.more;
    findings.issues.push(...found.issues);
    return;
  }
  if (list !== undefined) {
    const slice = frame.bytes.subarray(range.start, range.end);
    findings.items = joinItems(findings.items, itemsOf(table, slice, list, maxIssues));
  }
}
