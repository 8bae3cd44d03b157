import { fragmentTokens, isObject, type JsonObject, valueAt } from "@touchstone/core/advanced";
import { allowsRefSiblings } from "../../keywords.ts";
import type { UnassignedFinding } from "./finding.ts";
import type { Subschema } from "./walk.ts";

/** How to fix a reference that leads back to its schema for the same value. */
export const LOOP_FIX = "Make the reference point to a member or an item, or remove it.";

/** Returns the schemas that always apply to the same value as a schema: over `$ref` inside the document and `allOf`. */
function inPlace(schema: JsonObject, top: JsonObject): readonly JsonObject[] {
  const { $ref, allOf } = schema;
  const tokens =
    typeof $ref === "string" && $ref.startsWith("#") ? fragmentTokens($ref) : undefined;
  const target = tokens && valueAt(top, tokens)?.value;
  const isAlone = typeof $ref === "string" && !allowsRefSiblings(top);
  return [target, ...(Array.isArray(allOf) && !isAlone ? allOf : [])].filter(isObject);
}

/**
 * Finds schemas that apply themselves to the same value, so that no check by them ends (2020-12 Core, section 9.4.1):
 * over pointers inside the document, and `allOf`. A finding is at a reference of the loop, not at one that leads into
 * it. Uses no call stack.
 */
export function* loopFindings(
  places: readonly Subschema[],
  top: JsonObject,
): Generator<UnassignedFinding, void, void> {
  const done = new Set<JsonObject>();
  const references = new Map(
    places.flatMap(({ schema, path }) =>
      typeof schema["$ref"] === "string" ? [[schema, path] as const] : [],
    ),
  );
  for (const { schema: start, path } of places) {
    if (typeof start["$ref"] !== "string" || done.has(start)) continue;
    const entered = new Set([start]);
    const open = [{ schema: start, left: [...inPlace(start, top)] }];
    let found: string | undefined;
    for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
      const next = last.left.pop();
      if (next === undefined) {
        entered.delete(last.schema);
        done.add(last.schema);
        open.pop();
      } else if (entered.has(next)) {
        if (found !== undefined) continue;
        const loop = open.slice(open.findIndex(({ schema }) => schema === next));
        // A reference in a part that is not a schema has no place.
        found =
          loop.map(({ schema }) => references.get(schema)).find((at) => at !== undefined) ?? path;
      } else if (!done.has(next)) {
        entered.add(next);
        open.push({ schema: next, left: [...inPlace(next, top)] });
      }
    }
    if (found === undefined) continue;
    yield {
      path: `${found}/$ref`,
      rule: "reference-loop",
      severity: "error",
      message:
        "the reference leads back to its schema for the same value, so that no check of a value here ends",
      fix: LOOP_FIX,
    };
  }
}
