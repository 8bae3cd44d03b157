import type { JsonObject } from "../../../json/object.ts";
import { spend } from "../../budget.ts";
import type { SchemaNode } from "../../graph/node.ts";
import type { Place } from "../place.ts";
import { fail, type Mark, type Run } from "../rule.ts";

/**
 * The annotations of one schema at its location: those that it and the schemas that it applies in
 * place have left, not those of the schemas around it.
 */
function ownMarks(run: Run, marks: readonly Mark[], from: number): ReadonlySet<Mark> {
  spend(run.budget, marks.length - from);
  const own = new Set<Mark>();
  for (let i = from; i < marks.length; i++) own.add(marks[i] as Mark);
  return own;
}

/**
 * `unevaluatedProperties` (2020-12 Core, section 11.3).
 * @param from where in `marks` those of the schema itself begin.
 */
export function unevaluatedProperties(
  run: Run,
  node: SchemaNode,
  value: JsonObject,
  place: Place | undefined,
  marks: Mark[],
  from: number,
): boolean {
  const schema = node.unevaluatedProperties;
  if (schema === undefined) return true;
  const evaluated = ownMarks(run, marks, from);
  marks.push(null);
  if (evaluated.has(null) || schema.always === true) return true;
  let valid = true;
  for (const name of run.keysOf(value)) {
    if (evaluated.has(name)) continue;
    if (schema.always === undefined) {
      if (run.evaluate(schema, value[name], run.below(place, name), undefined)) continue;
      valid = false;
    } else {
      valid = fail(
        run,
        node,
        "unevaluatedProperties",
        value,
        place,
        () => ({
          message: "must NOT have unevaluated properties",
          params: { unevaluatedProperty: name },
        }),
        name,
      );
    }
    if (run.report === undefined) return false;
  }
  return valid;
}

/** `unevaluatedItems` (2020-12 Core, section 11.2); parameters as above. */
export function unevaluatedItems(
  run: Run,
  node: SchemaNode,
  value: readonly unknown[],
  place: Place | undefined,
  marks: Mark[],
  from: number,
): boolean {
  const schema = node.unevaluatedItems;
  if (schema === undefined) return true;
  const evaluated = ownMarks(run, marks, from);
  marks.push(null);
  if (evaluated.has(null) || schema.always === true) return true;
  let prefix = 0;
  for (const mark of evaluated)
    if (typeof mark === "number" && mark < 0) prefix = Math.max(prefix, -mark);
  let valid = true;
  for (let i = prefix; i < value.length; i++) {
    spend(run.budget, 1);
    if (evaluated.has(i)) continue;
    if (schema.always === false) {
      // One error for the array, as Ajv has it: the limit is where the evaluated items end.
      return fail(run, node, "unevaluatedItems", value, place, () => ({
        message: `must NOT have more than ${i} items`,
        params: { limit: i },
      }));
    }
    if (run.evaluate(schema, value[i], run.below(place, i), undefined)) continue;
    if (run.report === undefined) return false;
    valid = false;
  }
  return valid;
}
