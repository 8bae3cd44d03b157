import { isObject } from "../json/value.ts";
import { SchemaFaultError } from "./fault.ts";

/** A JSON object: only its own members count, whatever their names are. */
export type Json = Record<string, unknown>;

export function isJson(value: unknown): value is Json {
  return isObject(value);
}

/** Sets an own member; assigning to `__proto__` would set the prototype. */
export function setOwnMember(object: Json, name: string, value: unknown): void {
  if (name === "__proto__") {
    Object.defineProperty(object, name, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  } else object[name] = value;
}

/** Quotes text, cut so that it fits a message. */
export function quotedExcerpt(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}

export function tooMany(limit: number): SchemaFaultError {
  return new SchemaFaultError(
    "too_many_subschemas",
    `the schema has more than ${limit} subschemas; split the tool or simplify it`,
  );
}
