function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  // The prototype of a plain object from another realm has no prototype either.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/**
 * Returns a deep copy of a value that shares no list or object with it.
 * @throws TypeError if an object in it is neither a list nor plain, so that its members are not all of it
 * @throws RangeError if it nests too deep
 */
export function deepCopy<T>(value: T): T;
export function deepCopy(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => deepCopy(item));
  if (!isPlain(value)) throw new TypeError("an instance of a class is not copied");
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, deepCopy(item)]));
}
