import { isObject, joinPointer } from "@touchstone/core/advanced";
import { looksLikeSchema } from "./schema-like.ts";

/** A schema found in an example, with its location as an RFC 6901 pointer. */
export type SchemaAt = readonly [pointer: string, schema: unknown];

/** Members that always hold a schema, whatever it looks like (MCP, `Tool`). */
const OF_TOOLS: ReadonlySet<string> = new Set(["inputSchema", "outputSchema"]);
/** Members that often hold a schema: in MCP's elicitation, and in model providers' tools. */
const OFTEN: ReadonlySet<string> = new Set([
  "requestedSchema",
  "input_schema",
  "output_schema",
  "parameters",
]);
/** Members that hold the author's own values. */
const VALUES: ReadonlySet<string> = new Set(["arguments", "structuredContent", "_meta"]);
const MAX_DEPTH = 32;

/** Returns the schemas in an example: the example itself or its items, and those of tools and messages in it. */
export function schemasIn(example: unknown): readonly SchemaAt[] {
  const found: SchemaAt[] = [];
  const visit = (value: unknown, at: string, depth: number): void => {
    if (depth > MAX_DEPTH) return;
    if (Array.isArray(value)) {
      for (const [i, item] of value.entries()) visit(item, `${at}/${i}`, depth + 1);
      return;
    }
    if (!isObject(value)) return;
    for (const [name, member] of Object.entries(value)) {
      const pointer = joinPointer(at, name);
      if (OF_TOOLS.has(name) || (OFTEN.has(name) && looksLikeSchema(member))) {
        found.push([pointer, member]);
      } else if (!VALUES.has(name)) visit(member, pointer, depth + 1);
    }
  };
  const whole = Array.isArray(example) ? example.entries() : [["", example] as const];
  for (const [i, value] of whole) {
    const at = i === "" ? "" : `/${i}`;
    if (looksLikeSchema(value)) found.push([at, value]);
    else visit(value, at, 0);
  }
  return found;
}
