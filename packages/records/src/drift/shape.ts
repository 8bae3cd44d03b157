import { samplePositions } from "./sample-positions.ts";

/** JSON Schema's types of values. */
export const TYPES = ["object", "array", "string", "integer", "number", "boolean", "null"] as const;
export type ValueType = (typeof TYPES)[number];

/**
 * The values at one place: how many there were, of which types, and their content. It contains no values, and only
 * those names in objects that look like names.
 */
export interface Shape {
  /** How many values there were. */
  count: number;
  readonly types: Map<ValueType, number>;
  /** By name, for values that were objects. */
  readonly members: Map<string, Shape>;
  /** How many members were counted but not read: too many, or with names that may be data. */
  unnamed: number;
  /** The items that were read, for values that were arrays. */
  items: Shape | undefined;
  /** How many items were not read. */
  skipped: number;
  /** By keyword: in how many results a value violated it. Only keywords that types and names do not show. */
  readonly broken: Map<string, number>;
  /** For whole results: how many the declared schema accepted, and how many it refused. */
  passed: number;
  refused: number;
  /** In how many results a part of a long array was refused that was not read. */
  strayed: number;
  /** For how many results it is known whether, where and by what keywords they were refused. */
  told: number;
}

/** How deep values are read: on the last level only the types are known. */
export const MAX_LEVELS = 8;
/** How much to keep for one tool. */
const MAX_MEMBERS = 100;
const MAX_SHAPES = 1_000;
/** How many items of one array to read, distributed over the array. */
export const MAX_ITEMS = 50;

/** Names that programs use for members. Addresses, paths and numbers as keys count as data. */
const NAME = /^[A-Za-z_$][\w$.-]{0,63}$/;

export function emptyShape(): Shape {
  return {
    count: 0,
    types: new Map(),
    members: new Map(),
    unnamed: 0,
    items: undefined,
    skipped: 0,
    broken: new Map(),
    passed: 0,
    refused: 0,
    strayed: 0,
    told: 0,
  };
}

/** Returns how many shapes are in one, including itself. */
export function shapeCount({ members, items }: Shape): number {
  let size = items === undefined ? 1 : 1 + shapeCount(items);
  for (const member of members.values()) size += shapeCount(member);
  return size;
}

/** Returns JSON Schema's type of a parsed value; for a whole number `integer`. */
export function typeOf(value: unknown): ValueType {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  if (typeof value === "string") return "string";
  return typeof value === "boolean" ? "boolean" : "object";
}

/** Returns the types that occurred, the most frequent first. */
export function typesOf({ types }: Shape): readonly ValueType[] {
  return [...types].sort(([, a], [, b]) => b - a).map(([type]) => type);
}

/** Returns how many values were objects, and so may have members. */
export const objectsIn = ({ types }: Shape): number => types.get("object") ?? 0;

/** Returns the part of a shape for values of some types. It shares its content with the whole. */
export function shapeOfTypes(shape: Shape, kept: ReadonlySet<ValueType>): Shape {
  const types = new Map([...shape.types].filter(([type]) => kept.has(type)));
  const hasObjects = types.has("object");
  return {
    ...shape,
    count: [...types.values()].reduce((sum, count) => sum + count, 0),
    types,
    members: hasObjects ? shape.members : new Map(),
    unnamed: hasObjects ? shape.unnamed : 0,
    items: types.has("array") ? shape.items : undefined,
    skipped: types.has("array") ? shape.skipped : 0,
  };
}

/** Counts how many shapes may still be made. */
export interface ShapeBudget {
  left: number;
  /** How many items of one array to read, if not the usual number. */
  readonly items?: number;
}

/** Returns the remaining room for a tool's shape. */
export function shapeBudgetFor(shape: Shape): ShapeBudget {
  return { left: MAX_SHAPES - shapeCount(shape) };
}

/**
 * Returns the shape of a member, making it if there is room.
 * @returns undefined if the member is only counted
 */
export function memberShape(shape: Shape, name: string, room: ShapeBudget): Shape | undefined {
  const known = shape.members.get(name);
  if (known !== undefined) return known;
  if (shape.members.size >= MAX_MEMBERS || room.left <= 0 || !NAME.test(name)) return undefined;
  room.left -= 1;
  const made = emptyShape();
  shape.members.set(name, made);
  return made;
}

/** Returns whether a member of this name may be among those that were only counted. */
export function mayBeUnnamed(
  { members, unnamed }: Shape,
  name: string,
  { left }: ShapeBudget,
): boolean {
  return unnamed > 0 && (members.size >= MAX_MEMBERS || left <= 0 || !NAME.test(name));
}

/** Returns the shape of the items, making it if there is room. */
function itemShape(shape: Shape, room: ShapeBudget): Shape | undefined {
  if (shape.items === undefined && room.left > 0) {
    room.left -= 1;
    shape.items = emptyShape();
  }
  return shape.items;
}

/** Adds a parsed JSON value to the shape of the values before it. */
export function addToShape(
  shape: Shape,
  value: unknown,
  room: ShapeBudget,
  level: number = 1,
): void {
  const type = typeOf(value);
  shape.count += 1;
  shape.types.set(type, (shape.types.get(type) ?? 0) + 1);
  if (level >= MAX_LEVELS) return;
  if (type === "array") {
    const items = itemShape(shape, room);
    if (items === undefined) return;
    const all = value as readonly unknown[];
    // The items in between depend on the number of arrays so far.
    const looked = samplePositions(all.length, room.items ?? MAX_ITEMS, shape.count);
    shape.skipped += all.length - looked.length;
    for (const at of looked) addToShape(items, all[at], room, level + 1);
  } else if (type === "object") {
    for (const [name, inside] of Object.entries(value as object)) {
      const member = memberShape(shape, name, room);
      if (member === undefined) shape.unnamed += 1;
      else addToShape(member, inside, room, level + 1);
    }
  }
}

/** Adds the content of another shape. */
export function mergeShapes(into: Shape, from: Shape, room: ShapeBudget): void {
  into.count += from.count;
  into.unnamed += from.unnamed;
  into.skipped += from.skipped;
  into.passed += from.passed;
  into.refused += from.refused;
  into.strayed += from.strayed;
  into.told += from.told;
  for (const [keyword, count] of from.broken) {
    into.broken.set(keyword, (into.broken.get(keyword) ?? 0) + count);
  }
  for (const [type, count] of from.types) into.types.set(type, (into.types.get(type) ?? 0) + count);
  for (const [name, inside] of from.members) {
    const member = memberShape(into, name, room);
    if (member === undefined) into.unnamed += inside.count;
    else mergeShapes(member, inside, room);
  }
  if (from.items === undefined) return;
  const items = itemShape(into, room);
  if (items !== undefined) mergeShapes(items, from.items, room);
}
