import { encodeUtf8 } from "../json/text.ts";
import type { SchemaNode, SchemaValue } from "../keywords/node.ts";
import {
  KINDS,
  LIST_HEADER_SIZE,
  PROPERTY_OFFSETS,
  PROPERTY_SIZE,
  VALUE_LAYOUT,
  VALUE_SIZE,
} from "./layout.ts";
import type { ImageWriter } from "./writer.ts";

/** Characters that need an escape in a JSON string (RFC 8259, section 7); a lone surrogate has no UTF-8. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they need escapes
const NEEDS_ESCAPE = /[\x00-\x1f"\\\p{Surrogate}]/u;

/** Returns whether a string can be in a JSON text without escapes. */
export function isPlainText(text: string): boolean {
  return !NEEDS_ESCAPE.test(text);
}

/** Returns the bytes of a string's text and its closing quote. */
export function quotedBytes(text: string): Uint8Array {
  return encodeUtf8(`${text}"`);
}

/** Writes a list of nodes by their offsets, and returns the offset of the list. @throws ImageSizeError */
export function writeList(writer: ImageWriter, offsets: readonly number[]): number {
  const at = writer.take(4 + offsets.length * 4);
  writer.word(at, offsets.length);
  for (const [i, offset] of offsets.entries()) writer.word(at + 4 + i * 4, offset);
  return at;
}

/** Returns whether a value can be found by its bytes: a string that needs an escape never equals one without. */
function isHeld(value: unknown): boolean {
  if (typeof value === "string") return isPlainText(value);
  return typeof value !== "object" || value === null;
}

/**
 * Writes the values of `enum` or `const` that a text without escapes is checked against, and returns the offset of
 * their list. Leaves out arrays and objects: the image cannot judge these kinds.
 * @throws ImageSizeError
 */
export function writeValues(writer: ImageWriter, values: readonly SchemaValue[]): number {
  // Takes space for all of them first, so that a list that is too long is refused before it is read.
  const at = writer.take(LIST_HEADER_SIZE + values.length * VALUE_SIZE);
  const held = values.filter(({ value }) => isHeld(value));
  writer.word(at, held.length);
  for (const [i, { value }] of held.entries()) {
    const entry = at + LIST_HEADER_SIZE + i * VALUE_SIZE;
    if (typeof value === "string") {
      const bytes = quotedBytes(value);
      writer.word(entry + VALUE_LAYOUT.kind, KINDS.string);
      writer.word(entry + VALUE_LAYOUT.length, bytes.length);
      writer.word(entry + VALUE_LAYOUT.value, writer.text(bytes));
    } else if (typeof value === "number") {
      writer.word(entry + VALUE_LAYOUT.kind, KINDS.integer);
      writer.double(entry + VALUE_LAYOUT.value, value);
    } else {
      writer.word(entry + VALUE_LAYOUT.kind, value === null ? KINDS.null : KINDS.boolean);
      writer.word(entry + VALUE_LAYOUT.value, String(value).charCodeAt(0));
    }
  }
  return at;
}

/**
 * Writes the names in `properties` and `required`, none of which may need an escape, and returns the offset of their
 * list; 0 if there are none.
 * @param offset returns the offset of a schema, which may be written later
 * @throws ImageSizeError
 */
export function writeProperties(
  writer: ImageWriter,
  node: SchemaNode,
  offset: (schema: SchemaNode | undefined) => number,
): number {
  const required = new Set(node.required);
  const names = new Set([...(node.properties?.keys() ?? []), ...required]);
  if (names.size === 0) return 0;
  const at = writer.take(LIST_HEADER_SIZE + names.size * PROPERTY_SIZE);
  writer.word(at, names.size);
  writer.word(at + 4, required.size);
  let entry = at + LIST_HEADER_SIZE;
  for (const name of names) {
    const bytes = quotedBytes(name);
    const head = bytes.subarray(0, 8);
    writer.copy(entry + PROPERTY_OFFSETS.head, head);
    writer.copy(entry + PROPERTY_OFFSETS.mask, new Uint8Array(head.length).fill(0xff));
    writer.word(entry + PROPERTY_OFFSETS.name, writer.text(bytes));
    writer.word(entry + PROPERTY_OFFSETS.length, bytes.length);
    const schema = node.properties?.get(name) ?? node.additionalProperties;
    writer.word(entry + PROPERTY_OFFSETS.node, offset(schema));
    writer.word(entry + PROPERTY_OFFSETS.required, required.has(name) ? 1 : 0);
    entry += PROPERTY_SIZE;
  }
  return at;
}
