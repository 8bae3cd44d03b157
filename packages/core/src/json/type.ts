import { OPEN_ARRAY, OPEN_OBJECT, QUOTE } from "./bytes.ts";

/** The types of JSON values (RFC 8259, section 3). */
export type JsonType = "array" | "boolean" | "null" | "number" | "object" | "string";

/** The type of the value that begins with this byte, in a text that `scanJson` accepted. */
export function jsonTypeOf(firstByte: number | undefined): JsonType {
  switch (firstByte) {
    case QUOTE:
      return "string";
    case OPEN_OBJECT:
      return "object";
    case OPEN_ARRAY:
      return "array";
    case 0x6e:
      return "null";
    case 0x74:
    case 0x66:
      return "boolean";
    default:
      return "number";
  }
}
