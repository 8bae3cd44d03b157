import type { Shape } from "@touchstone/records/plain";
import { findDrift } from "./drift.ts";
import { type Json, schemaOf } from "./schema-of.ts";
import type { DriftFinding } from "./schemas.ts";

/**
 * Returns how values differ from those that came before: what came before counts as the declaration. Whole numbers
 * and others are one type. Members whose names may be user data are not compared.
 */
export function shapeDifferences(before: Shape, now: Shape): readonly DriftFinding[] {
  if (before.count === 0) return [];
  const { findings } = findDrift(withNumbers(schemaOf(before)), now);
  return findings.filter(({ kind }) => kind !== "unnamed");
}

/** Returns a schema of types and members in which numbers need not be whole. */
function withNumbers(schema: Json): Json {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
    if (key !== "type") return value;
    if (value === "integer") return "number";
    return Array.isArray(value)
      ? [...new Set(value.map((type) => (type === "integer" ? "number" : type)))]
      : value;
  });
}
