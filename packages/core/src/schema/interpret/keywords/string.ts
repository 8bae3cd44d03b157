import { spend } from "../../budget.ts";
import { fail, type Rule, textCost, type Vocabulary } from "../rule.ts";
import { shownCount } from "./shown-count.ts";

/** Whether the text has more than `limit` characters (RFC 8259: Unicode code points). */
function isLonger(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  // A character has at most two code units.
  if (text.length > 2 * limit + 1) return true;
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    if ((text.codePointAt(i) ?? 0) > 0xffff) i++;
    count++;
    if (count > limit) return true;
  }
  return false;
}

const maxLength: Rule<string> = (run, node, value, place) => {
  const limit = node.maxLength ?? Number.POSITIVE_INFINITY;
  spend(run.budget, textCost(value));
  if (!isLonger(value, limit)) return true;
  return fail(run, node, "maxLength", value, place, () => {
    const { text, exact } = shownCount(node, "maxLength", limit);
    return { message: `must NOT have more than ${text} characters`, params: { limit, ...exact } };
  });
};

const minLength: Rule<string> = (run, node, value, place) => {
  const limit = node.minLength ?? 0;
  spend(run.budget, textCost(value));
  if (limit <= 0 || isLonger(value, limit - 1)) return true;
  return fail(run, node, "minLength", value, place, () => {
    const { text, exact } = shownCount(node, "minLength", limit);
    return { message: `must NOT have fewer than ${text} characters`, params: { limit, ...exact } };
  });
};

const pattern: Rule<string> = (run, node, value, place) => {
  const source = node.pattern?.source;
  if (source === undefined) return true;
  spend(run.budget, textCost(value));
  if (run.context.patterns(source).test(value, run.budget)) return true;
  return fail(run, node, "pattern", value, place, () => ({
    message: `must match pattern "${source}"`,
    params: { pattern: source },
  }));
};

const format: Rule<string> = (run, node, value, place) => {
  const name = node.format;
  const check = name === undefined ? undefined : run.context.formats(name);
  if (check === undefined) return true;
  // Formats read a text more than once, but only so often.
  spend(run.budget, 4 * textCost(value));
  if (check(value)) return true;
  return fail(run, node, "format", value, place, () => ({
    message: `must match format "${name}"`,
    params: { format: name },
  }));
};

/** JSON Schema 2020-12 Validation, sections 6.3 and 7. */
export const STRING_RULES: Vocabulary<string> = [
  ["maxLength", maxLength],
  ["minLength", minLength],
  ["pattern", pattern],
  ["format", format],
];
