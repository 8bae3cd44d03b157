/**
 * Returns the accessors of a tool and its classes, for an object that replaces the tool. They run on the tool itself,
 * because private members are not inherited and access would throw. Methods stay inherited: one that runs on the tool
 * could reach the tool's handler without the guard.
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
