import { objectsIn, type Shape, typesOf, type ValueType } from "@touchstone/records/plain";

export type Json = Record<string, unknown>;

/** Returns types as a schema names them: integers among numbers are numbers. */
export function typeKeyword(types: readonly ValueType[]): string | readonly string[] {
  const all = types.includes("number") ? types.filter((type) => type !== "integer") : types;
  const [only] = all;
  return all.length === 1 && only !== undefined ? only : [...all];
}

/** Returns a schema that accepts the received values, and requires the members that all of them have. */
export function schemaOf(shape: Shape): Json {
  if (shape.types.size === 0) return {};
  const schema: Json = { type: typeKeyword(typesOf(shape)) };
  const objects = objectsIn(shape);
  if (shape.members.size > 0) {
    const members = [...shape.members];
    schema["properties"] = Object.fromEntries(
      members.map(([name, inside]) => [name, schemaOf(inside)]),
    );
    const always = members.filter(([, { count }]) => count === objects).map(([name]) => name);
    if (always.length > 0) schema["required"] = always;
  }
  if (shape.items !== undefined && shape.items.count > 0) schema["items"] = schemaOf(shape.items);
  return schema;
}
