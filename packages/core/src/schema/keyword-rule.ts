import type { Rule } from "../result.ts";

const RULE_OF: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["type", "type"],
  ["required", "required"],
  ["dependentRequired", "required"],
  ["dependencies", "required"],
  ["additionalProperties", "extra"],
  ["additionalItems", "extra"],
  ["unevaluatedProperties", "extra"],
  ["unevaluatedItems", "extra"],
  ["propertyNames", "extra"],
  ["format", "format"],
]);

/** The class of an issue that a JSON Schema keyword raised; `value` for all that have none. */
export function ruleOf(keyword: string): Rule {
  return RULE_OF.get(keyword) ?? "value";
}
