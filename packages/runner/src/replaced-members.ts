import { ownAccessors } from "./accessors.ts";

/**
 * Returns an object with the prototype and all members of a tool, except for the members that are replaced. The
 * tool's own members become its own, as SDKs send and spread them. Methods of the tool's classes are inherited, so
 * that what they call is guarded. Accessors and hooks run with the tool itself as `this`, since they may need its
 * private members. The tool is not changed.
 * @param members the replaced or added members
 * @param hooks names of methods that the SDK itself calls
 */
export function withReplacedMembers<T extends object, M extends object>(
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
