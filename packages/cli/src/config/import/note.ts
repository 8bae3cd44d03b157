import { isObject } from "@touchstone/core";

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | Members;

/** A JSON object. */
export interface Members {
  readonly [name: string]: Json;
}

/** Something that was dropped or changed on import. */
export interface Note {
  /** Keys and indexes from the root of the file, separated by `/`. */
  readonly path: string;
  readonly reason: string;
}

/** Returns whether a value is a JSON object. */
export function isMember(value: Json | undefined): value is Members {
  return isObject(value);
}
