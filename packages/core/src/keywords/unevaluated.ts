import { ITEM_LIMIT_EXPLANATION } from "./items.ts";
import { type Keyword, keyword } from "./keyword.ts";
import { checkOtherMember } from "./properties.ts";
import {
  type Annotation,
  type EvaluationRun,
  placeBelow,
  reportFailure,
  spendSteps,
} from "./run.ts";
import { SCHEMA_SHAPE } from "./shape.ts";

declare module "./node.ts" {
  interface SchemaNode {
    readonly unevaluatedItems?: SchemaNode;
    readonly unevaluatedProperties?: SchemaNode;
  }
}

/**
 * Returns the annotations of one schema at its location: those from itself and the schemas that it applies in place,
 * not those of the surrounding schemas.
 */
function ownMarks(
  run: EvaluationRun,
  marks: readonly Annotation[],
  from: number,
): ReadonlySet<Annotation> {
  spendSteps(run, marks.length - from);
  const own = new Set<Annotation>();
  for (let i = from; i < marks.length; i++) own.add(marks[i] as Annotation);
  return own;
}

/**
 * `unevaluatedProperties` (2020-12 Core, section 11.3). Runs after all other keywords of its schema. `run.marked` is
 * the index in `marks` where those of the schema itself begin.
 */
export const unevaluatedProperties: Keyword = keyword({
  name: "unevaluatedProperties",
  vocabulary: "unevaluated",
  since: "2020-12",
  older: [
    {
      name: "unevaluatedProperties",
      vocabulary: "applicator",
      since: "2019-09",
      until: "2019-09",
      holds: "schema",
    },
  ],
  shape: SCHEMA_SHAPE,
  where: "members",
  appliesTo: "object",
  issueClass: "extra",
  explain: { about: "unevaluatedProperty" },
  compile: (node, { apply }) => {
    if (node.unevaluatedProperties === undefined) return undefined;
    const schema = apply(node.unevaluatedProperties);
    return (run, value, place, marks = []) => {
      const evaluated = ownMarks(run, marks, run.marked);
      marks.push(null);
      run.declared?.all(value);
      if (evaluated.has(null) || schema.always === true) return true;
      const keys = run.report === undefined ? run.keysOf(value) : run.sortedKeysOf(value);
      let valid = true;
      for (const name of keys) {
        if (evaluated.has(name)) continue;
        if (checkOtherMember(run, node, "unevaluated", schema, value, name, place)) continue;
        valid = false;
        if (run.report === undefined) return false;
      }
      return valid;
    };
  },
});

/** `unevaluatedItems` (2020-12 Core, section 11.2). */
export const unevaluatedItems: Keyword = keyword({
  name: "unevaluatedItems",
  vocabulary: "unevaluated",
  since: "2020-12",
  older: [
    {
      name: "unevaluatedItems",
      vocabulary: "applicator",
      since: "2019-09",
      until: "2019-09",
      holds: "schema",
    },
  ],
  shape: SCHEMA_SHAPE,
  where: "items",
  appliesTo: "array",
  issueClass: "extra",
  explain: ITEM_LIMIT_EXPLANATION,
  compile: (node, { apply }) => {
    if (node.unevaluatedItems === undefined) return undefined;
    const schema = apply(node.unevaluatedItems);
    return (run, value, place, marks = []) => {
      const evaluated = ownMarks(run, marks, run.marked);
      marks.push(null);
      if (evaluated.has(null) || schema.always === true) return true;
      let prefix = 0;
      for (const mark of evaluated) {
        if (typeof mark === "number" && mark < 0) prefix = Math.max(prefix, -mark);
      }
      let valid = true;
      for (let i = prefix; i < value.length; i++) {
        spendSteps(run, 1);
        if (evaluated.has(i)) continue;
        if (schema.always === false) {
          // Reports one issue for the whole array, as Ajv does. Its limit is the number of evaluated items.
          return reportFailure(run, node, "unevaluatedItems", value, place, () => ({
            message: `must NOT have more than ${i} items`,
            params: { limit: i },
          }));
        }
        if (schema.check(run, value[i], placeBelow(run, place, i), undefined)) continue;
        if (run.report === undefined) return false;
        valid = false;
      }
      return valid;
    };
  },
});
