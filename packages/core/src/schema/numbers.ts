import type { Decimal } from "../json/decimal.ts";
import type { Decimals } from "../json/exact.ts";

/** Keywords whose value is compared with numbers of the instance. */
const NUMERIC: ReadonlySet<string> = new Set([
  "const",
  "enum",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "maximum",
  "minimum",
  "multipleOf",
]);

/** For a pointer to a schema: by keyword, the exact numbers below it, by pointers that start there. */
export type SchemaDecimals = ReadonlyMap<string, ReadonlyMap<string, Decimals>>;

/** Sorts the exact numbers of a schema's text by the schema and the keyword that they may be in. */
export function schemaDecimals(decimals: Decimals): SchemaDecimals {
  const bySchema = new Map<string, Map<string, Map<string, Decimal>>>();
  for (const [pointer, decimal] of decimals) {
    const tokens = pointer.split("/");
    let parent = "";
    for (let i = 1; i < tokens.length; i++) {
      const token = tokens[i] ?? "";
      if (NUMERIC.has(token)) {
        const keywords = bySchema.get(parent) ?? new Map<string, Map<string, Decimal>>();
        const numbers = keywords.get(token) ?? new Map<string, Decimal>();
        numbers.set(pointer.slice(parent.length + 1 + token.length), decimal);
        bySchema.set(parent, keywords.set(token, numbers));
      }
      parent = `${parent}/${token}`;
    }
  }
  return bySchema;
}
