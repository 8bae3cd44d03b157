import type { JsonObject } from "../../../json/object.ts";
import { spend } from "../../budget.ts";
import type { SchemaNode } from "../../graph/node.ts";
import { fail, hasProperty, type Rule, type Run, textCost } from "../rule.ts";

/** From so many declared properties on, a verdict goes by the object's keys. */
const MANY = 4;

export const properties: Rule<JsonObject> = (run, node, value, place, marks) => {
  const declared = node.properties;
  if (declared === undefined) return true;
  let valid = true;
  const judge = (name: string, schema: SchemaNode): boolean => {
    marks?.push(name);
    return run.evaluate(schema, value[name], run.below(place, name), undefined);
  };
  // The order is that of the declarations, which only a report can tell.
  if (run.report === undefined && declared.size > MANY) {
    for (const name of run.keysOf(value)) {
      const schema = declared.get(name);
      if (schema === undefined || value[name] === undefined) continue;
      if (!judge(name, schema)) return false;
    }
    return true;
  }
  spend(run.budget, declared.size);
  for (const [name, schema] of declared) {
    if (!hasProperty(value, name) || judge(name, schema)) continue;
    if (run.report === undefined) return false;
    valid = false;
  }
  return valid;
};

function matches(run: Run, source: string, name: string): boolean {
  spend(run.budget, textCost(name));
  return run.context.patterns(source).test(name, run.budget);
}

export const patternProperties: Rule<JsonObject> = (run, node, value, place, marks) => {
  let valid = true;
  for (const [{ source }, schema] of node.patternProperties ?? []) {
    for (const name of run.keysOf(value)) {
      if (!matches(run, source, name)) continue;
      marks?.push(name);
      if (schema.always === true) continue;
      if (run.evaluate(schema, value[name], run.below(place, name), undefined)) continue;
      if (run.report === undefined) return false;
      valid = false;
    }
  }
  return valid;
};

export const additionalProperties: Rule<JsonObject> = (run, node, value, place, marks) => {
  const schema = node.additionalProperties;
  if (schema === undefined) return true;
  const { properties: declared, patternProperties: patterns = [] } = node;
  // With the properties that it leaves out, which the keywords beside it evaluate, that is all.
  marks?.push(null);
  if (schema.always === true) return true;
  let valid = true;
  for (const name of run.keysOf(value)) {
    if (declared?.has(name) === true) continue;
    if (patterns.some(([{ source }]) => matches(run, source, name))) continue;
    if (schema.always === undefined) {
      if (run.evaluate(schema, value[name], run.below(place, name), undefined)) continue;
      valid = false;
    } else {
      valid = fail(
        run,
        node,
        "additionalProperties",
        value,
        place,
        () => ({
          message: "must NOT have additional properties",
          params: { additionalProperty: name },
        }),
        name,
      );
    }
    if (run.report === undefined) return false;
  }
  return valid;
};
