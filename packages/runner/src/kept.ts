import { ownAccessors } from "./own-accessors.ts";

/**
 * Returns an object that is whatever a tool is and has all of its members, except those that are given in place of some.
 * What is on the tool itself is on it, as SDKs send and spread it; methods of the tool's classes are
 * inherited, so that what they call is guarded; its accessors run as the tool itself, and so do its hooks, which
 * may need its private members. The tool is not changed.
 * @param members what it has of its own
 * @param hooks names of methods that the SDK calls by itself
 */
export function keeping<T extends object, M extends object>(
  tool: T,
  members: M,
  hooks: readonly string[],
): Omit<T, keyof M> & M {
  const made: object = Object.create(Object.getPrototypeOf(tool), ownAccessors(tool));
  const put = (key: PropertyKey, value: unknown, enumerable: boolean): void => {
    Object.defineProperty(made, key, { value, enumerable, writable: true, configurable: true });
  };
  for (const key of Reflect.ownKeys(tool)) {
    const {
      value,
      get,
      set,
      enumerable = false,
    } = Object.getOwnPropertyDescriptor(tool, key) ?? {};
    if (get === undefined && set === undefined) put(key, value, enumerable);
  }
  for (const hook of hooks) {
    const value: unknown = Object.hasOwn(tool, hook) ? undefined : Reflect.get(tool, hook);
    if (typeof value === "function") put(hook, value.bind(tool), true);
  }
  for (const [key, value] of Object.entries(members)) put(key, value, true);
  return made as Omit<T, keyof M> & M;
}
