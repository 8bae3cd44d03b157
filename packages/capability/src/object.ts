import { isObject } from "@touchstone/core";

/** Returns an own member; nothing that an object inherits. */
export function own(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
