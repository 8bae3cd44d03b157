import { escapePointer, type JsonRange, type MemberPlan } from "@touchstone/core";
import type { Frame } from "../frame.ts";
import type { MessageTable } from "../messages/message-table.ts";
import { definitionOf, isOnly, type Schema } from "../messages/schema.ts";
import { FRAME_MEMBERS } from "../plan.ts";
import { type KnownTexts, knownTexts } from "./known-texts.ts";
import { isTextContent } from "./text-content.ts";

/** Tells of bytes in a text that is JSON whether they are certainly valid; else they may be. */
type Test = (bytes: Uint8Array, range: JsonRange) => boolean;

interface OutlinedMember {
  /** RFC 6901 pointer into the message. */
  readonly pointer: string;
  readonly isRequired: boolean;
  /** Absent where any value will do. */
  readonly test: Test | undefined;
  /** What is asked of an object's members. */
  readonly inside: Outline | undefined;
}

/** What a definition asks of an object, as far as the ranges in a frame can show that it is met. */
type Outline = readonly OutlinedMember[];

const OPEN_OBJECT = 0x7b;
const MINUS = 0x2d;

const isDigit = (byte: number | undefined): boolean => byte !== undefined && (byte ^ 0x30) <= 9;

/** Whether digits stand there and nothing else; other spellings of an integer are left to the schema. */
function isPlainInteger(bytes: Uint8Array, { start, end }: JsonRange): boolean {
  let at = bytes[start] === MINUS ? start + 1 : start;
  while (at < end && isDigit(bytes[at])) at += 1;
  return at === end;
}

const TYPES: Readonly<Record<string, Test>> = {
  string: (bytes, { start }) => bytes[start] === 0x22,
  object: (bytes, { start }) => bytes[start] === OPEN_OBJECT,
  array: (bytes, { start }) => bytes[start] === 0x5b,
  boolean: (bytes, { start }) => bytes[start] === 0x74 || bytes[start] === 0x66,
  number: (bytes, { start }) => bytes[start] === MINUS || isDigit(bytes[start]),
  integer: isPlainInteger,
};

/** The test of a schema that asks for types and nothing else. */
function typeTest(schema: Schema): Test | undefined {
  if (!isOnly(schema, "type")) return undefined;
  const tests = [schema["type"]].flat().map((type) => TYPES[String(type)]);
  if (tests.includes(undefined)) return undefined;
  if (tests.length === 1) return tests[0];
  return (bytes, range) => tests.some((test) => test?.(bytes, range) === true);
}

function wholeTest(table: MessageTable, schema: Schema): Test {
  const known: KnownTexts = knownTexts(table, schema);
  const isContent =
    isOnly(schema, "type", "items") &&
    isOnly(schema["items"] as Schema, "$ref") &&
    definitionOf(schema["items"] as Schema) === "ContentBlock";
  return (bytes, range) =>
    (isContent && isTextContent(bytes, range)) || known.accepts(bytes, range);
}

function outlineOf(
  table: MessageTable,
  schema: Schema,
  plan: MemberPlan,
  at: string,
): Outline | undefined {
  if (!isOnly(schema, "type", "required", "properties") || schema["type"] !== "object") {
    return undefined;
  }
  const required = new Set((schema["required"] as readonly string[] | undefined) ?? []);
  const properties = (schema["properties"] as Record<string, Schema> | undefined) ?? {};
  const outline: OutlinedMember[] = [];
  for (const [name, property] of Object.entries(properties)) {
    const isRequired = required.has(name);
    if (!isRequired && isOnly(property)) continue;
    const planned = Object.hasOwn(plan, name) ? plan[name] : undefined;
    // Whether it is there at all would not be known.
    if (planned === undefined) return undefined;
    outline.push(memberOf(table, property, planned, `${at}/${escapePointer(name)}`, isRequired));
  }
  return outline;
}

function memberOf(
  table: MessageTable,
  property: Schema,
  planned: MemberPlan | true,
  pointer: string,
  isRequired: boolean,
): OutlinedMember {
  const name = definitionOf(property);
  const schema = (name === undefined ? undefined : table.definitions[name]) ?? property;
  const inside = planned === true ? undefined : outlineOf(table, schema, planned, pointer);
  const whole = (): Test => typeTest(schema) ?? wholeTest(table, property);
  const test = isOnly(schema) ? undefined : inside === undefined ? whole() : TYPES["object"];
  return { pointer, isRequired, test, inside };
}

function accepts(frame: Frame, outline: Outline): boolean {
  return outline.every(({ pointer, isRequired, test, inside }) => {
    const range = frame.range(pointer);
    if (range === undefined) return !isRequired;
    if (test !== undefined && !test(frame.bytes, range)) return false;
    return inside === undefined || accepts(frame, inside);
  });
}

/** By definition; null where it has none. */
type Outlines = Map<string, Outline | null>;
const outlines = new WeakMap<MessageTable, Outlines>();
/** Mostly the next message is judged by the table of the last one. */
let last: { readonly table: MessageTable; readonly kept: Outlines } | undefined;

function outlinesOf(table: MessageTable): Outlines {
  if (last?.table === table) return last.kept;
  const kept = outlines.get(table) ?? new Map<string, Outline | null>();
  outlines.set(table, kept);
  last = { table, kept };
  return kept;
}

function outlineFor(table: MessageTable, definition: string, at: string): Outline | null {
  const kept = outlinesOf(table);
  const known = kept.get(definition);
  if (known !== undefined) return known;
  const schema = table.definitions[definition];
  const plan = FRAME_MEMBERS[at.slice(1)];
  const isKnown = schema !== undefined && plan !== undefined && plan !== true;
  const outline = (isKnown ? outlineOf(table, schema, plan, at) : undefined) ?? null;
  kept.set(definition, outline);
  return outline;
}

/**
 * Whether a part of a message is certainly valid by its definition, told by where its members stand
 * and by their first bytes, without parsing it. False says nothing.
 * @param frame one that is JSON, and in which no planned object has a key twice
 * @param at `/params` or `/result`
 */
export function isOutlined(
  frame: Frame,
  table: MessageTable,
  definition: string,
  at: string,
  { start }: JsonRange,
): boolean {
  if (frame.bytes[start] !== OPEN_OBJECT) return false;
  const outline = outlineFor(table, definition, at);
  return outline !== null && accepts(frame, outline);
}
