import type { JsonObject } from "@touchstone/core/advanced";
import type { LinkedSchemas } from "./linked-schemas.ts";
import { arrayOrEmpty, type SchemaParts } from "./schema-parts.ts";

/** Schemas, split into alternatives. */
interface Split {
  /** The schemas that apply to every alternative. */
  readonly rest: SchemaParts;
  /** For each alternative, the schemas that a value of it satisfies, and those that it does not. */
  readonly branches: readonly {
    readonly more: readonly unknown[];
    readonly less: readonly unknown[];
  }[];
}

/** Returns the alternatives of a part, which together are what it accepts; undefined if it has none. */
export function alternativesOf(
  schemas: LinkedSchemas,
  parts: SchemaParts,
  part: JsonObject,
): Split | undefined {
  for (const keyword of ["anyOf", "oneOf"]) {
    const list = arrayOrEmpty(part[keyword]);
    if (list.length === 0) continue;
    const branches = list.map((branch) => ({ more: [branch], less: [] as unknown[] }));
    const exact =
      keyword === "oneOf" && list.length <= 8
        ? list.map((branch) => ({
            more: [branch],
            less: list.filter((other) => other !== branch),
          }))
        : [];
    return {
      rest: schemas.without(parts, part, [keyword]),
      branches: [...branches, ...exact],
    };
  }
  const { if: condition, then: after = true, else: otherwise = true } = part;
  if (condition === undefined) return undefined;
  const rest = schemas.without(parts, part, ["if", "then", "else"]);
  if (after === true && otherwise === true) return { rest, branches: [{ more: [], less: [] }] };
  return {
    rest,
    branches: [
      { more: [condition, after], less: [] },
      { more: [otherwise], less: [condition] },
    ],
  };
}
