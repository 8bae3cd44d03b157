import { isObject } from "@touchstone/core/advanced";

/** Returns an own member; undefined for inherited ones. */
export function ownMember(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
