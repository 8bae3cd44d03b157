import { type Found, pointerTokens, valueAt } from "@touchstone/core/advanced";

/** Returns the value at an RFC 6901 pointer; undefined if there is none. */
export function valueAtPointer(root: unknown, pointer: string): Found | undefined {
  return valueAt(root, pointerTokens(pointer));
}

/** Arguments that are changed one place at a time. */
export class Draft {
  root: unknown;

  constructor(root: unknown) {
    this.root = structuredClone(root);
  }

  at(pointer: string): Found | undefined {
    return valueAtPointer(this.root, pointer);
  }

  /** Sets a value; creates missing objects above it. Returns whether that was possible. */
  set(pointer: string, value: unknown): boolean {
    const tokens = pointerTokens(pointer);
    const last = tokens.pop();
    if (last === undefined) {
      this.root = value;
      return true;
    }
    let parent: unknown = this.root;
    for (const token of tokens) {
      if (typeof parent !== "object" || parent === null) return false;
      if (!Object.hasOwn(parent, token)) define(parent, token, {});
      parent = (parent as Record<string, unknown>)[token];
    }
    if (typeof parent !== "object" || parent === null) return false;
    define(parent, last, value);
    return true;
  }

  /** Removes a member or an item. */
  remove(pointer: string): void {
    const tokens = pointerTokens(pointer);
    const last = tokens.pop();
    const parent = this.at(pointer.slice(0, pointer.lastIndexOf("/")))?.value;
    if (last === undefined || typeof parent !== "object" || parent === null) return;
    if (Array.isArray(parent)) parent.splice(Number(last), 1);
    else Reflect.deleteProperty(parent, last);
  }

  /** Moves a value to another place, unless one of the places does not exist. */
  move(from: string, to: string): void {
    const found = this.at(from);
    if (found === undefined) return;
    this.remove(from);
    this.set(to, found.value);
  }
}

/** Sets a member or an item, even with a name such as `__proto__`. */
export function define(parent: object, key: string | number, value: unknown): void {
  Object.defineProperty(parent, key, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}
