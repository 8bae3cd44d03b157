import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { exceedsLimit, measureValue } from "../json/measure.ts";
import { decodeUtf8, encodeUtf8 } from "../json/text.ts";
import { messageOf, type SchemaError, type SchemaLimits } from "./fault.ts";
import { describeProgramObject } from "./program-object.ts";

/**
 * A schema from a caller: its JSON text (as a string or UTF-8), in which numbers are exact, or a JSON value in
 * memory; not, for example, a schema of another library or a promise. `undefined` and `null` are not schemas; every
 * value satisfies them. Anything else is a fault.
 */
export type SchemaInput =
  | { readonly text: string | Uint8Array }
  | { readonly value: unknown }
  | null
  | undefined;

/** The text of a schema, or why it has none. */
export interface SchemaSource {
  readonly bytes: Uint8Array;
  /** `sha256:` and the hex digest of `bytes`. */
  readonly hash: string;
  readonly fault?: SchemaError;
}

/** `sha256:` and the digest of the bytes in hex (FIPS 180-4). */
function hashOf(bytes: Uint8Array): string {
  return `sha256:${bytesToHex(sha256(bytes))}`;
}

/** Text that cannot be changed. Its hash is made on first use: that takes as long as reading it. */
class OwnText implements SchemaSource {
  readonly bytes: Uint8Array;
  readonly fault?: SchemaError;
  #hash: string | undefined;

  constructor(bytes: Uint8Array, fault?: SchemaError) {
    this.bytes = bytes;
    if (fault !== undefined) this.fault = fault;
  }

  get hash(): string {
    this.#hash ??= hashOf(this.bytes);
    return this.#hash;
  }
}

const NO_SCHEMA: SchemaSource = new OwnText(encodeUtf8("null"));

export function schemaTooLarge(least: string, limit: number): SchemaError {
  return {
    code: "too_large",
    message: `the schema is ${least} bytes, more than the limit of ${limit}`,
    path: "",
  };
}

export function schemaTooDeep(limit: number): SchemaError {
  return {
    code: "too_deep",
    message: `the schema nests deeper than the limit of ${limit}`,
    path: "",
  };
}

export function sourceWithFault(fault: SchemaError): SchemaSource {
  return new OwnText(new Uint8Array(0), fault);
}

/**
 * Returns the fault of what is not a {@link SchemaInput}. A caller without types may pass a schema itself, which would
 * otherwise count as none.
 * @param given what was passed, in words
 */
function noInput(given: string): SchemaSource {
  const message = `a schema is given as { text }, its JSON text, or as { value }; ${given} is neither`;
  return sourceWithFault({ code: "not_a_schema", message, path: "" });
}

/**
 * Returns the JSON text of a value, if it has one. JSON writes values that it lacks, such as NaN or an invalid date,
 * as `null`, which would be no schema and accept everything.
 */
function ownText(value: unknown): string | undefined {
  const text: unknown = JSON.stringify(value);
  return typeof text === "string" && text !== "null" ? text : undefined;
}

function fromValue(value: unknown, limits: SchemaLimits): SchemaSource {
  try {
    const message = describeProgramObject(value);
    if (message !== undefined) return sourceWithFault({ code: "not_a_schema", message, path: "" });
    const excess = measureValue(value, limits.maxDepth, limits.maxBytes);
    if (exceedsLimit(excess)) {
      return sourceWithFault(
        excess.limit === "depth"
          ? schemaTooDeep(limits.maxDepth)
          : schemaTooLarge(`at least ${excess.actual}`, limits.maxBytes),
      );
    }
    const text = ownText(value);
    if (text !== undefined) return new OwnText(encodeUtf8(text));
    const kind =
      typeof value === "object" ? "an object that is nothing in JSON" : `a ${typeof value}`;
    const what = `${kind} is not a schema; a schema is an object or a boolean`;
    return sourceWithFault({ code: "not_a_schema", message: what, path: "" });
  } catch (thrown) {
    const message = `the schema's value has no JSON text: ${messageOf(thrown)}`;
    return sourceWithFault({ code: "invalid_json", message, path: "" });
  }
}

/**
 * Returns a key for a schema that is cheap to compute: the same text for the same bytes, and no other bytes with the
 * same text. Undefined for other schemas, and for those that may be over a limit.
 * @throws errors of getters and proxies
 */
export function cacheKeyText(input: SchemaInput, limits: SchemaLimits): string | undefined {
  if (input === undefined || input === null) return "null";
  if (typeof input !== "object") return undefined;
  if ("text" in input) {
    const { text } = input;
    // A text with lone surrogates never equals one that was read from bytes.
    if (typeof text === "string") return text;
    if (!(text instanceof Uint8Array) || text.length > limits.maxBytes) return undefined;
    return decodedText(text);
  }
  if (!("value" in input)) return undefined;
  const { value } = input;
  if (value === undefined || value === null) return "null";
  if (describeProgramObject(value) !== undefined) return undefined;
  const size = measureValue(value, limits.maxDepth, limits.maxBytes);
  if (exceedsLimit(size)) return undefined;
  return ownText(value);
}

/** Returns the text that only these bytes decode to, if there is one: malformed UTF-8 has none. */
export function decodedText(bytes: Uint8Array): string | undefined {
  const text = decodeUtf8(bytes);
  return text.includes("\ufffd") ? undefined : text;
}

/** Reads a schema's text and its hash; of bytes over the limit, neither. Never throws. */
export function readSource(input: SchemaInput, limits: SchemaLimits): SchemaSource {
  if (input === undefined || input === null) return NO_SCHEMA;
  try {
    if (typeof input !== "object") return noInput(`a ${typeof input}`);
    if ("text" in input) {
      const { text } = input;
      if (typeof text === "string") return new OwnText(encodeUtf8(text));
      if (text instanceof Uint8Array) {
        // Such a schema is refused anyway, so it is not worth the time to hash it.
        if (text.length > limits.maxBytes)
          return sourceWithFault(schemaTooLarge(`${text.length}`, limits.maxBytes));
        return { bytes: text, hash: hashOf(text) };
      }
    }
    if (!("value" in input)) return noInput("text" in input ? "such a text" : "such an object");
    const { value } = input;
    return value === undefined || value === null ? NO_SCHEMA : fromValue(value, limits);
  } catch (thrown) {
    return sourceWithFault({ code: "invalid_json", message: messageOf(thrown), path: "" });
  }
}
