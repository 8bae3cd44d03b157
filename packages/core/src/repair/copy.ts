function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  // That of another realm has none either.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/**
 * Returns a copy of a value down to its scalars, which shares no list or object with it.
 * @throws TypeError where an object in it is neither a list nor plain, and so more than its members
 * @throws RangeError where it nests too deep
 */
export function deepCopy<T>(value: T): T;
export function deepCopy(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => deepCopy(item));
  if (!isPlain(value)) throw new TypeError("an instance of a class is not copied");
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, deepCopy(item)]));
}
