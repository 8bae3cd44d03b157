import { joinPointer } from "@touchstone/core/advanced";
import {
  mayBeUnnamed,
  objectsIn,
  type Shape,
  type ShapeBudget,
  typesOf,
} from "@touchstone/records/plain";
import type { PlaceDeclaration } from "./declared.ts";
import type { DriftFinding } from "./schemas.ts";

/** The result for the members of objects: differences, unknown parts, or values to compare. */
type Said =
  | { readonly finding: DriftFinding }
  | { readonly unsure: "names" }
  | { readonly schema: unknown; readonly came: Shape; readonly path: string };

/**
 * Compares the received members with the declared ones, in the order of the schema.
 * @param room how much may still be kept for the whole comparison
 */
export function* memberFindings(
  declared: PlaceDeclaration,
  shape: Shape,
  parent: string,
  room: ShapeBudget,
): Generator<Said> {
  const of = objectsIn(shape);
  if (of === 0) return;
  const closed = declared.isClosed ? { closed: true } : {};
  const unnamed = [...declared.required].filter((name) => !declared.members.has(name));
  for (const [name, schema] of [
    ...declared.members,
    ...unnamed.map((name) => [name, true] as const),
  ]) {
    const path = joinPointer(parent, name);
    const required = declared.required.has(name);
    const came = shape.members.get(name);
    if (came === undefined) {
      if (mayBeUnnamed(shape, name, room)) yield { unsure: "names" };
      else yield { finding: { kind: "never_came", path, count: of, of, required } };
      continue;
    }
    const count = of - came.count;
    if (required && count > 0) {
      yield { finding: { kind: "sometimes_missing", path, count, of, required } };
    }
    yield { schema, came, path };
  }
  const others = [...shape.members].filter(([name]) => !declared.members.has(name));
  for (const [name, came] of others) {
    const { count } = came;
    const path = joinPointer(parent, name);
    yield { finding: { kind: "undeclared", path, count, of, types: typesOf(came), ...closed } };
  }
  if (declared.isTyped && (shape.unnamed > 0 || others.length > 0)) yield { unsure: "names" };
  if (shape.unnamed === 0 || declared.isMap) return;
  yield { finding: { kind: "unnamed", path: parent, count: shape.unnamed, of, ...closed } };
}
