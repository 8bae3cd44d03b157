import { pointerTokens, valueAt } from "../json/pointer.ts";
import type { PatchOperation } from "./operation.ts";

function set(target: object, key: string, value: unknown): void {
  // A plain assignment to `__proto__` would change the prototype instead.
  Object.defineProperty(target, key, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}

/**
 * Applies one operation of a JSON Patch (RFC 6902) to a value that belongs to the caller. Items of arrays are only
 * replaced, never added or removed.
 * @returns the value, or a new one if its root was replaced; undefined if the operation's path does not exist
 */
export function applyOperation(
  root: unknown,
  operation: PatchOperation,
): { readonly value: unknown } | undefined {
  if (operation.op === "move") return renameMember(root, operation.from, operation.path);
  const tokens = pointerTokens(operation.path);
  const key = tokens.at(-1);
  if (key === undefined) return operation.op === "remove" ? undefined : { value: operation.value };
  const parent = valueAt(root, tokens.slice(0, -1))?.value;
  if (typeof parent !== "object" || parent === null) return undefined;
  const exists = Object.hasOwn(parent, key);
  if (operation.op === "remove") {
    if (!exists || Array.isArray(parent)) return undefined;
    return Reflect.deleteProperty(parent, key) ? { value: root } : undefined;
  }
  if (operation.op === "replace" ? !exists : exists || Array.isArray(parent)) return undefined;
  set(parent, key, operation.value);
  return { value: root };
}

/** Renames a member of an object. */
function renameMember(
  root: unknown,
  from: string,
  path: string,
): { readonly value: unknown } | undefined {
  const found = valueAt(root, pointerTokens(from));
  if (found === undefined) return undefined;
  const removed = applyOperation(root, { op: "remove", path: from });
  return removed && applyOperation(root, { op: "add", path, value: found.value });
}
