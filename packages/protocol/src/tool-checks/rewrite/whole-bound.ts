import type { JsonObject } from "@touchstone/core/advanced";
import { withoutKeywords } from "./map-schemas.ts";

/**
 * Returns an exclusive bound on whole numbers as an inclusive one.
 * @param by 1 for a lower bound, -1 for an upper one
 */
export function integerBound(
  schema: JsonObject,
  exclusive: string,
  inclusive: string,
  by: 1 | -1,
): JsonObject {
  const { [exclusive]: open, [inclusive]: closed } = schema;
  if (schema["type"] !== "integer" || typeof open !== "number") return schema;
  const next = by === 1 ? Math.floor(open) + 1 : Math.ceil(open) - 1;
  if (!Number.isSafeInteger(next)) return schema;
  const tightest = by === 1 ? Math.max : Math.min;
  const bound = typeof closed === "number" ? tightest(next, closed) : next;
  return { ...withoutKeywords(schema, [exclusive]), [inclusive]: bound };
}
