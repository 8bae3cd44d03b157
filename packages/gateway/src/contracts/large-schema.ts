import { createHash } from "node:crypto";
import {
  type CompiledSchema,
  decodeUtf8,
  encodeUtf8,
  type JsonRange,
  SCHEMA_LIMITS,
  tooLargeSchema,
} from "@touchstone/core/advanced";

/** A longer schema cannot be used for checks, so the gateway does not keep its text. */
const MAX_SCHEMA_BYTES: number = SCHEMA_LIMITS.maxBytes;
/** No message is larger, so no schema can be. */
const MAX_CLAIMED = 2 ** 30;
const NOTE = /^"too large to be read: ([0-9]{7,10}) bytes, (sha256:[0-9a-f]{64})"$/;
const NOTE_BYTES = 128;

/** How many bytes of a schema to hash in one step. */
const STEP_BYTES = 1_048_576;
/** Of `null`. */
const LETTER_N = 0x6e;

/** The text of a schema, as far as it is kept, and its hash. */
export interface RetainedSchema {
  readonly text: Uint8Array;
  /** `sha256:` and the hex digest of the text. */
  readonly hash: string;
}

/**
 * Copies a schema in steps, so that it does not keep the whole list in memory. For a schema that is too large to be
 * used, it keeps a note with the size and digest instead: a JSON string, which cannot be mistaken for a schema.
 * Returns undefined if there is no schema, or if it is null.
 */
export function* copySchema(
  bytes: Uint8Array,
  range: JsonRange | undefined,
): Generator<void, RetainedSchema | undefined, void> {
  // No other value begins this way.
  if (range === undefined || bytes[range.start] === LETTER_N) return undefined;
  const own = bytes.subarray(range.start, range.end);
  const digest = createHash("sha256");
  for (let at = 0; at < own.length; at += STEP_BYTES) {
    if (at > 0) yield;
    digest.update(own.subarray(at, at + STEP_BYTES));
  }
  const hash = `sha256:${digest.digest("hex")}`;
  if (own.length <= MAX_SCHEMA_BYTES) return { text: new Uint8Array(own), hash };
  const text = encodeUtf8(noteOf(own.length, hash));
  return { text, hash: schemaHash(text) };
}

/** Returns `sha256:` and the hex digest of a schema's source text. */
export function schemaHash(text: Uint8Array): string {
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}

function noteOf(size: number, hash: string): string {
  return `"too large to be read: ${size} bytes, ${hash}"`;
}

function sizeIn(text: Uint8Array): number | undefined {
  if (text.length > NOTE_BYTES) return undefined;
  const size = Number(NOTE.exec(decodeUtf8(text))?.[1]);
  return size > MAX_SCHEMA_BYTES && size <= MAX_CLAIMED ? size : undefined;
}

/** Returns whether a kept text is only a note about a schema. */
export function isSchemaNote(text: Uint8Array): boolean {
  return sizeIn(text) !== undefined;
}

/**
 * Returns the compiled schema of a kept text.
 * @param compile compiles a schema that is kept whole; nothing is compiled for a note
 */
export function compileRetained<T>(
  text: Uint8Array,
  compile: (text: Uint8Array) => T,
): T | CompiledSchema {
  const size = sizeIn(text);
  return size === undefined ? compile(text) : tooLargeSchema(size);
}

/** Returns whether a kept text was made from this schema. */
export function isRetainedFrom(text: Uint8Array, schema: Uint8Array): boolean {
  if (schema.length <= MAX_SCHEMA_BYTES) return Buffer.compare(schema, text) === 0;
  if (sizeIn(text) !== schema.length) return false;
  return decodeUtf8(text) === noteOf(schema.length, schemaHash(schema));
}
