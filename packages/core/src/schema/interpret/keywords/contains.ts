import { fail, type Rule } from "../rule.ts";
import { shownCount } from "./shown-count.ts";

/** `contains`, `minContains` and `maxContains` (2020-12 Core, section 10.3.1.3). */
export const contains: Rule<readonly unknown[]> = (run, node, value, place, marks) => {
  const schema = node.contains;
  if (schema === undefined) return true;
  const min = node.minContains ?? 1;
  const max = node.maxContains;
  const annotates = marks !== undefined && node.containsEvaluates === true;
  const refuse = (): false =>
    fail(run, node, "contains", value, place, () => {
      const least = shownCount(node, "minContains", min);
      if (max === undefined) {
        const params = { minContains: min, ...least.exact };
        return { message: `must contain at least ${least.text} valid item(s)`, params };
      }
      const most = shownCount(node, "maxContains", max);
      return {
        message: `must contain at least ${least.text} and no more than ${most.text} valid item(s)`,
        params: { minContains: min, maxContains: max },
      };
    });
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
