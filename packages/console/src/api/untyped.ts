import { isObject } from "../json/object.ts";
import { ApiError } from "./client.ts";

/** Reads the items of a list that the reader accepts. */
export function readList<T>(
  value: unknown,
  read: (item: unknown) => T | undefined,
): readonly T[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.map(read).filter((item) => item !== undefined);
}

/** The response is JSON, but not what the page requested. */
export function unexpectedAnswer(): ApiError {
  const what =
    "This page does not understand the gateway's response. Check that both have the same version.";
  return new ApiError("unexpected", what, 200);
}

/** Returns a member of a JSON object if it is text, else null. */
export function textOf(value: unknown, name: string): string | null {
  const member = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return typeof member === "string" ? member : null;
}

/** Returns a member of a JSON object if it is a number, else null. */
export function numberOf(value: unknown, name: string): number | null {
  const member = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return typeof member === "number" ? member : null;
}
