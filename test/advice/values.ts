/** A JSON object. */
export type JsonObject = Record<string, unknown>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const escapePointer = (token: string): string =>
  token.replaceAll("~", "~0").replaceAll("/", "~1");

/** Returns the reference tokens of an RFC 6901 pointer. */
export const tokensOf = (pointer: string): readonly string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));

/** Returns the value that a pointer leads to, in a box; undefined if there is none. */
export function valueAt(root: unknown, pointer: string): { readonly value: unknown } | undefined {
  let value = root;
  for (const token of tokensOf(pointer)) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, token))
      return undefined;
    value = (value as JsonObject)[token];
  }
  return { value };
}

/** Arguments that are changed place by place. */
export class Draft {
  root: unknown;

  constructor(root: unknown) {
    this.root = structuredClone(root);
  }

  at(pointer: string): { readonly value: unknown } | undefined {
    return valueAt(this.root, pointer);
  }

  has(pointer: string): boolean {
    return this.at(pointer) !== undefined;
  }

  /** Sets a value; makes the objects above it if they are missing. Returns whether that was possible. */
  set(pointer: string, value: unknown): boolean {
    const tokens = [...tokensOf(pointer)];
    const last = tokens.pop();
    if (last === undefined) {
      this.root = value;
      return true;
    }
    let parent: unknown = this.root;
    for (const token of tokens) {
      if (typeof parent !== "object" || parent === null) return false;
      if (!Object.hasOwn(parent, token)) define(parent, token, {});
      parent = (parent as JsonObject)[token];
    }
    if (typeof parent !== "object" || parent === null) return false;
    define(parent, last, value);
    return true;
  }

  /** Removes a member or an item. */
  remove(pointer: string): void {
    const tokens = [...tokensOf(pointer)];
    const last = tokens.pop();
    const parent = this.at(pointer.slice(0, pointer.lastIndexOf("/")))?.value;
    if (last === undefined || typeof parent !== "object" || parent === null) return;
    if (Array.isArray(parent)) parent.splice(Number(last), 1);
    else Reflect.deleteProperty(parent, last);
  }

  /** Moves a value to another place, unless one of the places is not there. */
  move(from: string, to: string): void {
    const found = this.at(from);
    if (found === undefined) return;
    this.remove(from);
    this.set(to, found.value);
  }
}

function define(parent: object, key: string, value: unknown): void {
  Object.defineProperty(parent, key, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}
