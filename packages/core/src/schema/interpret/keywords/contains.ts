import { fail, type Rule } from "../rule.ts";

/** `contains`, `minContains` and `maxContains` (2020-12 Core, section 10.3.1.3). */
export const contains: Rule<readonly unknown[]> = (run, node, value, place, marks) => {
  const schema = node.contains;
  if (schema === undefined) return true;
  const min = node.minContains ?? 1;
  const max = node.maxContains;
  const annotates = marks !== undefined && node.containsEvaluates === true;
  const refuse = (): false =>
    fail(run, node, "contains", value, place, () => ({
      message:
        max === undefined
          ? `must contain at least ${min} valid item(s)`
          : `must contain at least ${min} and no more than ${max} valid item(s)`,
      params: max === undefined ? { minContains: min } : { minContains: min, maxContains: max },
    }));
  if (max === undefined && min === 0 && !annotates) return true;
  if (max !== undefined && min > max) return refuse();
  const opened = run.report?.open();
  let count = 0;
  for (let i = 0; i < value.length; i++) {
    if (!run.evaluate(schema, value[i], run.below(place, i), undefined)) continue;
    count++;
    if (annotates) marks.push(i);
    if (max === undefined ? count >= min && !annotates : count > max) break;
  }
  const valid = count >= min && (max === undefined || count <= max);
  if (opened !== undefined) {
    if (valid) run.report?.discard(opened);
    else run.report?.keep(opened);
  }
  return valid || refuse();
};
