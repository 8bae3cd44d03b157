import type { JsonObject } from "../../../json/object.ts";
import { spend } from "../../budget.ts";
import { fail, hasProperty, type Rule, type Vocabulary } from "../rule.ts";
import { dependentRequired, dependentSchemas } from "./dependent.ts";
import { additionalProperties, patternProperties, properties } from "./properties.ts";
import { shownCount } from "./shown-count.ts";

const maxProperties: Rule<JsonObject> = (run, node, value, place) => {
  const limit = node.maxProperties ?? Number.POSITIVE_INFINITY;
  if (run.keysOf(value).length <= limit) return true;
  return fail(run, node, "maxProperties", value, place, () => {
    const { text, exact } = shownCount(node, "maxProperties", limit);
    return { message: `must NOT have more than ${text} properties`, params: { limit, ...exact } };
  });
};

const minProperties: Rule<JsonObject> = (run, node, value, place) => {
  const limit = node.minProperties ?? 0;
  if (run.keysOf(value).length >= limit) return true;
  return fail(run, node, "minProperties", value, place, () => {
    const { text, exact } = shownCount(node, "minProperties", limit);
    return { message: `must NOT have fewer than ${text} properties`, params: { limit, ...exact } };
  });
};

const required: Rule<JsonObject> = (run, node, value, place) => {
  const names = node.required ?? [];
  spend(run.budget, names.length);
  let valid = true;
  for (const missingProperty of names) {
    if (hasProperty(value, missingProperty)) continue;
    if (run.report === undefined) return false;
    valid = fail(
      run,
      node,
      "required",
      value,
      place,
      () => ({
        message: `must have required property '${missingProperty}'`,
        params: { missingProperty },
      }),
      missingProperty,
    );
  }
  return valid;
};

const propertyNames: Rule<JsonObject> = (run, node, value, place) => {
  const schema = node.propertyNames;
  if (schema === undefined || schema.always === true) return true;
  const { report } = run;
  let valid = true;
  for (const propertyName of run.keysOf(value)) {
    const outer = report?.propertyName;
    if (report !== undefined) report.propertyName = propertyName;
    // The name has no place of its own; an exact number at the object's cannot be, it is none.
    const named = run.evaluate(schema, propertyName, place, undefined);
    if (report !== undefined) report.propertyName = outer;
    if (named) continue;
    if (report === undefined) return false;
    valid = fail(
      run,
      node,
      "propertyNames",
      value,
      place,
      () => ({
        message: "property name must be valid",
        params: { propertyName },
      }),
      propertyName,
    );
  }
  return valid;
};

/** JSON Schema 2020-12 Core, sections 10.2.2.4 and 10.3.2; Validation, section 6.5. */
export const OBJECT_RULES: Vocabulary<JsonObject> = [
  ["maxProperties", maxProperties],
  ["minProperties", minProperties],
  ["required", required],
  ["propertyNames", propertyNames],
  ["additionalProperties", additionalProperties],
  ["properties", properties],
  ["patternProperties", patternProperties],
  ["dependentRequired", dependentRequired],
  ["dependentSchemas", dependentSchemas],
];
