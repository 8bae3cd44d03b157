import { jsonTypeOf } from "@touchstone/core";
import { MINUS } from "../bytes.ts";
import { isOnly, type Schema } from "../messages/schema.ts";

/** Returns whether the bytes of a JSON value show that it is certainly valid. If not, it may still be valid. */
export type Test = (bytes: Uint8Array, start: number, end: number) => boolean;

/** What a schema requires of a value, as far as its bytes can show it. */
export interface Asked {
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

export const OBJECT_TYPE = 2;
export const ANY_TYPE = 63;

const TYPE_OF: Uint8Array = Uint8Array.from(
  { length: 256 },
  (_, byte) => TYPES[jsonTypeOf(byte)] ?? 0,
);

/** Returns the bit of the type of the JSON value that begins at `start`. */
export function typeAt(bytes: Uint8Array, start: number): number {
  return TYPE_OF[bytes[start] as number] as number;
}

/** Whether a number consists of digits only; other spellings of an integer are left to the schema. */
const isNoOtherNumber: Test = (bytes, start, end) => {
  if (typeAt(bytes, start) !== NUMBER) return true;
  let at = bytes[start] === MINUS ? start + 1 : start;
  while (at < end && ((bytes[at] as number) ^ 0x30) <= 9) at += 1;
  return at === end;
};

/** Returns what a schema requires if it only constrains types; undefined for any other schema. */
export function askedTypes(schema: Schema): Asked | undefined {
  if (!isOnly(schema, "type")) return undefined;
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
