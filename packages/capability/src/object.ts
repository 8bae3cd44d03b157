import { isObject } from "@touchstone/core";

/** Returns an own member; undefined for inherited ones. */
export function own(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
