import {
  escapePointer,
  type JsonRange,
  jsonTypeOf,
  type MemberPlan,
  WORDS_PER_MEMBER,
} from "@touchstone/core/advanced";
import { MINUS } from "../bytes.ts";
import type { Frame } from "../frame.ts";
import type { MessageTable } from "../messages/message-table.ts";
import { hasOnlyKeywords, referencedDefinition, type Schema } from "../messages/schema.ts";
import { FRAME_MEMBERS, FRAME_POINTERS, memberNumber } from "../plan.ts";
import { findRepeatedTexts, type RepeatedTexts } from "./repeated-texts.ts";
import { isTextContent } from "./text-content.ts";

/** Returns whether the bytes of a JSON value show that it is certainly valid. If not, it may still be valid. */
type Test = (bytes: Uint8Array, start: number, end: number) => boolean;

/** What a schema requires of a value, as far as its bytes can show it. */
interface Asked {
  /** The bits of the types that are allowed. */
  readonly types: number;
  readonly test: Test | undefined;
}

const NUMBER = 16;

/** One bit for each type of JSON value. */
const TYPES: Readonly<Record<string, number>> = {
  string: 1,
  object: 2,
  array: 4,
  boolean: 8,
  number: NUMBER,
  integer: NUMBER,
  null: 32,
};

const OBJECT_TYPE = 2;
const ANY_TYPE = 63;

const TYPE_OF: Uint8Array = Uint8Array.from(
  { length: 256 },
  (_, byte) => TYPES[jsonTypeOf(byte)] ?? 0,
);

/** Returns the bit of the type of the JSON value that begins at `start`. */
export function jsonTypeAt(bytes: Uint8Array, start: number): number {
  return TYPE_OF[bytes[start] as number] as number;
}

/** Whether a number consists of digits only; other spellings of an integer are left to the schema. */
const isNoOtherNumber: Test = (bytes, start, end) => {
  if (jsonTypeAt(bytes, start) !== NUMBER) return true;
  let at = bytes[start] === MINUS ? start + 1 : start;
  while (at < end && ((bytes[at] as number) ^ 0x30) <= 9) at += 1;
  return at === end;
};

/** Returns what a schema requires if it only constrains types; undefined for any other schema. */
export function requiredTypes(schema: Schema): Asked | undefined {
  if (!hasOnlyKeywords(schema, "type")) return undefined;
  const names = [schema["type"]].flat().map(String);
  let types = 0;
  for (const name of names) {
    const bit = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
    if (bit === undefined) return undefined;
    types |= bit;
  }
  const isWhole = names.includes("integer") && !names.includes("number");
  return { types, test: isWhole ? isNoOtherNumber : undefined };
}

/** A member that must be present if the member that contains it is. */
interface Requirement {
  readonly member: number;
  readonly inside: number;
}

/** What a definition requires of the members of a frame, as far as their positions can show that it is met. */
interface Outline {
  readonly asked: readonly (Asked & { readonly member: number })[];
  readonly required: readonly Requirement[];
}

/** An outline, indexed by the numbers of the members. */
interface OutlineTable {
  readonly asked: readonly (Asked | undefined)[];
  readonly required: readonly Requirement[];
}

/** Longer values are left to the schema. */
const KNOWN_BYTES = 2_048;

function wholeTest(table: MessageTable, schema: Schema): Test {
  const known: RepeatedTexts = findRepeatedTexts(table, schema);
  const isContent =
    hasOnlyKeywords(schema, "type", "items") &&
    hasOnlyKeywords(schema["items"] as Schema, "$ref") &&
    referencedDefinition(schema["items"] as Schema) === "ContentBlock";
  // A longer one is not parsed here: it may be an image.
  return (bytes, start, end) =>
    (isContent && isTextContent(bytes, start)) ||
    (end - start <= KNOWN_BYTES && known.accepts(bytes, start, end));
}

function outlineOf(
  table: MessageTable,
  schema: Schema,
  plan: MemberPlan,
  at: string,
): Outline | undefined {
  if (!hasOnlyKeywords(schema, "type", "required", "properties") || schema["type"] !== "object") {
    return undefined;
  }
  const names = new Set((schema["required"] as readonly string[] | undefined) ?? []);
  const properties = (schema["properties"] as Record<string, Schema> | undefined) ?? {};
  const outlines: Outline[] = [];
  const required: Requirement[] = [];
  for (const [name, property] of Object.entries(properties)) {
    if (!names.has(name) && hasOnlyKeywords(property)) continue;
    const planned = Object.hasOwn(plan, name) ? plan[name] : undefined;
    // A member that is not in the plan is not located, so it would be unknown whether it is present.
    if (planned === undefined) return undefined;
    const pointer = `${at}/${escapePointer(name)}`;
    if (names.has(name)) {
      required.push({ member: memberNumber(pointer), inside: memberNumber(at) });
    }
    outlines.push(memberOutline(table, property, planned, pointer));
  }
  return {
    asked: outlines.flatMap(({ asked }) => asked),
    required: [...required, ...outlines.flatMap((outline) => outline.required)],
  };
}

function memberOutline(
  table: MessageTable,
  property: Schema,
  planned: MemberPlan | true,
  pointer: string,
): Outline {
  const name = referencedDefinition(property);
  const schema = (name === undefined ? undefined : table.definitions[name]) ?? property;
  if (hasOnlyKeywords(schema)) return { asked: [], required: [] };
  const member = memberNumber(pointer);
  const inside = planned === true ? undefined : outlineOf(table, schema, planned, pointer);
  if (inside !== undefined) {
    const object = { member, types: OBJECT_TYPE, test: undefined };
    return { asked: [object, ...inside.asked], required: inside.required };
  }
  const asked = requiredTypes(schema) ?? { types: ANY_TYPE, test: wholeTest(table, property) };
  return { asked: [{ member, ...asked }], required: [] };
}

function tableOf({ asked, required }: Outline): OutlineTable {
  const table: (Asked | undefined)[] = FRAME_POINTERS.map(() => undefined);
  for (const { member, types, test } of asked) table[member] = { types, test };
  return { asked: table, required };
}

function accepts({ bytes, scan }: Frame, { asked, required }: OutlineTable): boolean {
  const { members } = scan;
  const { words } = members;
  for (let i = 0; i < words.length; i += WORDS_PER_MEMBER) {
    const what = asked[words[i] as number];
    if (what === undefined) continue;
    const start = words[i + 1] as number;
    if ((what.types & jsonTypeAt(bytes, start)) === 0) return false;
    const { test } = what;
    if (test !== undefined && !test(bytes, start, words[i + 2] as number)) return false;
  }
  for (const { member, inside } of required) {
    if (!members.includes(member) && members.includes(inside)) return false;
  }
  return true;
}

/** The outlines by the names of their definitions; null if a definition has no outline. */
type Outlines = Map<string, OutlineTable | null>;
const outlines = new WeakMap<MessageTable, Outlines>();
/** The next message usually uses the same table as the last one. */
let last: { readonly table: MessageTable; readonly kept: Outlines } | undefined;

function outlinesOf(table: MessageTable): Outlines {
  if (last?.table === table) return last.kept;
  const kept = outlines.get(table) ?? new Map<string, OutlineTable | null>();
  outlines.set(table, kept);
  last = { table, kept };
  return kept;
}

function outlineFor(table: MessageTable, definition: string, at: string): OutlineTable | null {
  const kept = outlinesOf(table);
  const known = kept.get(definition);
  if (known !== undefined) return known;
  const schema = table.definitions[definition];
  const plan = FRAME_MEMBERS[at.slice(1)];
  const isKnown = schema !== undefined && plan !== undefined && plan !== true;
  const outline = isKnown ? outlineOf(table, schema, plan, at) : undefined;
  const made = outline === undefined ? null : tableOf(outline);
  kept.set(definition, made);
  return made;
}

/**
 * Returns whether a part of a message is certainly valid by its definition, judged by the positions and first bytes
 * of its members, without parsing it. False proves nothing.
 * @param frame one that is JSON, and in which no planned object has a key twice
 * @param at `/params` or `/result`
 */
export function isValidOutline(
  frame: Frame,
  table: MessageTable,
  definition: string,
  at: string,
  { start }: JsonRange,
): boolean {
  if (jsonTypeAt(frame.bytes, start) !== OBJECT_TYPE) return false;
  const outline = outlineFor(table, definition, at);
  return outline !== null && accepts(frame, outline);
}
