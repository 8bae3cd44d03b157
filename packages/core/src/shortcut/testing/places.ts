export type Container = Record<string | number, unknown>;

/** Every place in a value, outermost first: the container that it is in, and its key there. */
export function placesIn(root: { value: unknown }): readonly [Container, string | number][] {
  const places: [Container, string | number][] = [[root as Container, "value"]];
  for (const [container, key] of places) {
    const part = container[key];
    if (typeof part !== "object" || part === null) continue;
    const keys = Array.isArray(part) ? part.keys() : Object.keys(part);
    for (const inside of keys) places.push([part as Container, inside]);
  }
  return places;
}
