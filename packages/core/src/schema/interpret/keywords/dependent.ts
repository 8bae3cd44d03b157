import type { JsonObject } from "../../../json/object.ts";
import { spend } from "../../budget.ts";
import { cutMarks, fail, hasProperty, type Rule } from "../rule.ts";

export const dependentRequired: Rule<JsonObject> = (run, node, value, place) => {
  let valid = true;
  for (const [property, names] of node.dependentRequired ?? []) {
    spend(run.budget, 1);
    if (!hasProperty(value, property)) continue;
    spend(run.budget, names.length);
    let deps: string | undefined;
    for (const missingProperty of names) {
      if (hasProperty(value, missingProperty)) continue;
      if (run.report === undefined) return false;
      const depsCount = names.length;
      valid = fail(
        run,
        node,
        "dependentRequired",
        value,
        place,
        () => {
          // One text for all errors: the names of a hostile schema may be many.
          deps ??= names.join(", ");
          const noun = depsCount === 1 ? "property" : "properties";
          return {
            message: `must have ${noun} ${deps} when property ${property} is present`,
            params: { property, missingProperty, depsCount, deps },
          };
        },
        missingProperty,
      );
    }
  }
  return valid;
};

export const dependentSchemas: Rule<JsonObject> = (run, node, value, place, marks) => {
  let valid = true;
  for (const [property, schema] of node.dependentSchemas ?? []) {
    spend(run.budget, 1);
    if (!hasProperty(value, property)) continue;
    const marked = marks?.length ?? 0;
    if (run.evaluate(schema, value, place, marks)) continue;
    if (run.report === undefined) return false;
    cutMarks(marks, marked);
    valid = false;
  }
  return valid;
};
