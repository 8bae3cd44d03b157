import { createHash } from "node:crypto";
import { isObject } from "@touchstone/core/advanced";
import { isCountedKeyword } from "./bounds.ts";
import {
  emptyShape,
  memberShape,
  type Shape,
  type ShapeBudget,
  shapeBudgetFor,
  TYPES,
  type ValueType,
} from "./shape.ts";

/**
 * A shape as JSON: `n` values, `t` types, `m` members, `u` unnamed members, `i` items, `s` skipped items, `b` broken
 * keywords, `p` accepted results, `r` refused results, `x` results with a refusal in a long array, `k` results whose
 * verdicts are all known.
 */
interface Written {
  readonly n: number;
  readonly t: Readonly<Record<string, number>>;
  readonly m?: Readonly<Record<string, Written>>;
  readonly u?: number;
  readonly i?: Written;
  readonly s?: number;
  readonly b?: Readonly<Record<string, number>>;
  readonly p?: number;
  readonly r?: number;
  readonly x?: number;
  readonly k?: number;
}

function entry(types: Shape["types"], type: ValueType): readonly (readonly [string, number])[] {
  const count = types.get(type);
  return count === undefined ? [] : [[type, count]];
}

function written(shape: Shape): Written {
  const { count, types, members, unnamed, items, skipped, broken, passed, refused, strayed, told } =
    shape;
  const inside = [...members].map(([name, shape]) => [name, written(shape)] as const);
  return {
    n: count,
    // In a fixed order, so that equal shapes are equal texts.
    t: Object.fromEntries(TYPES.flatMap((type) => entry(types, type))),
    ...(inside.length === 0 ? {} : { m: Object.fromEntries(inside) }),
    ...(unnamed === 0 ? {} : { u: unnamed }),
    ...(items === undefined ? {} : { i: written(items) }),
    ...(skipped === 0 ? {} : { s: skipped }),
    ...(broken.size === 0 ? {} : { b: Object.fromEntries([...broken].sort()) }),
    ...(passed === 0 ? {} : { p: passed }),
    ...(refused === 0 ? {} : { r: refused }),
    ...(strayed === 0 ? {} : { x: strayed }),
    ...(told === 0 ? {} : { k: told }),
  };
}

/** Returns a shape as JSON. */
export function writeShape(shape: Shape): string {
  return JSON.stringify(written(shape));
}

/** The columns of a shape's key. */
type ShapeKey = readonly [server: string, tool: string, schemaHash: string];

/** Returns the stored text of a shape: its JSON, which begins with a digest (`h`) of the rest and of its key. */
export function sealShape(shape: Shape, key: ShapeKey): string {
  const text = writeShape(shape);
  return `{"h":"${digestOf(text, key)}",${text.slice(1)}`;
}

/**
 * Returns whether a stored text is the one that {@link sealShape} makes for that key. Earlier builds, which may still
 * run at the same time, stored no digest: a text without one is valid if {@link writeShape} makes it.
 */
export function isSealed(stored: string, key: ShapeKey): boolean {
  const [start = "", digest] = /^\{"h":"([0-9a-f]{64})",/.exec(stored) ?? [];
  if (digest === undefined) return stored === writeShape(readShape(stored));
  return digest === digestOf(`{${stored.slice(start.length)}`, key);
}

function digestOf(text: string, key: ShapeKey): string {
  return createHash("sha256")
    .update(JSON.stringify([...key, text]))
    .digest("hex");
}

function countOf(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0;
}

function fill(shape: Shape, value: unknown, room: ShapeBudget): void {
  if (!isObject(value)) return;
  const { n, t, m, u, i, s, b, p, r, x, k } = value;
  shape.count = countOf(n);
  shape.unnamed = countOf(u);
  shape.skipped = countOf(s);
  shape.passed = countOf(p);
  shape.refused = countOf(r);
  shape.strayed = countOf(x);
  shape.told = countOf(k);
  for (const [keyword, count] of isObject(b) ? Object.entries(b) : []) {
    if (isCountedKeyword(keyword) && countOf(count) > 0) shape.broken.set(keyword, countOf(count));
  }
  for (const type of TYPES) {
    const count = isObject(t) && Object.hasOwn(t, type) ? countOf(t[type]) : 0;
    if (count > 0) shape.types.set(type, count);
  }
  for (const [name, inside] of isObject(m) ? Object.entries(m) : []) {
    const member = memberShape(shape, name, room);
    if (member !== undefined) fill(member, inside, room);
  }
  if (i === undefined || room.left <= 0) return;
  room.left -= 1;
  shape.items = emptyShape();
  fill(shape.items, i, room);
}

/** Returns the shape in a stored text; an empty one if the text is invalid. Never throws. */
export function readShape(text: string): Shape {
  const shape = emptyShape();
  try {
    fill(shape, JSON.parse(text), shapeBudgetFor(shape));
  } catch {
    // If the database was tampered with, the data is lost.
    return emptyShape();
  }
  return shape;
}
