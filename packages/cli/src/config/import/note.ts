import { isObject } from "@touchstone/core/advanced";

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [name: string]: Json;
}

/** Something that was dropped or changed on import. */
export interface ImportNote {
  /** Keys and indexes from the root of the file, separated by `/`. */
  readonly path: string;
  readonly reason: string;
}

/** Returns whether a value is a JSON object. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return isObject(value);
}
