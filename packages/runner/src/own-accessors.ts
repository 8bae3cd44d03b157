/**
 * Returns the accessors of a tool and of its classes, to be put on an object that stands for the tool, where they run as the
 * tool itself: private members are not inherited, so that they would throw. Methods are left to be inherited,
 * since one that is run as the tool could lead to the tool's handler past the guard.
 */
export function ownAccessors(tool: object): PropertyDescriptorMap {
  const accessors: PropertyDescriptorMap = {};
  const met = new Set<PropertyKey>();
  for (
    let one: object | null = tool;
    one !== null && one !== Object.prototype;
    one = Object.getPrototypeOf(one)
  ) {
    for (const key of Reflect.ownKeys(one)) {
      if (met.has(key)) continue;
      met.add(key);
      const { get, set, enumerable = false } = Object.getOwnPropertyDescriptor(one, key) ?? {};
      if (get === undefined && set === undefined) continue;
      accessors[key as string] = {
        ...(get && { get: () => Reflect.get(tool, key) }),
        ...(set && { set: (value: unknown) => void Reflect.set(tool, key, value) }),
        enumerable: enumerable && one === tool,
        configurable: true,
      };
    }
  }
  return accessors;
}
