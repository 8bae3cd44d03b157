import { spend } from "./budget.ts";
import { shownCount } from "./count.ts";
import { type Applied, type Keyword, keyword, PLAIN } from "./keyword.ts";
import { below, fail } from "./run.ts";

/** `prefixItems`, and `items` as a list up to 2019-09 (2020-12 Core, section 10.3.1.1). */
export const prefixItems: Keyword = keyword({
  name: "prefixItems",
  appliesTo: "array",
  compile: (node, { apply }) => {
    const schemas = (node.prefixItems ?? []).map(apply);
    if (schemas.length === 0) return undefined;
    return (run, value, place, marks) => {
      const count = Math.min(schemas.length, value.length);
      let valid = true;
      for (let i = 0; i < count; i++) {
        const schema = schemas[i] as Applied;
        if (schema.check(run, value[i], below(run, place, i), undefined)) continue;
        if (run.report === undefined) return false;
        valid = false;
      }
      if (count > 0) marks?.push(count === value.length ? null : -count);
      return valid;
    };
  },
});

/** `items`, and `additionalItems` up to 2019-09 (2020-12 Core, section 10.3.1.2). */
export const items: Keyword = keyword({
  name: "items",
  appliesTo: "array",
  isIdle: (node) => node.items?.always === true,
  compile: (node, { apply }) => {
    if (node.items === undefined) return undefined;
    const schema = apply(node.items);
    const from = node.prefixItems?.length ?? 0;
    // Ajv words `false` after a tuple as a limit on the array, else for each item.
    const isLimit = schema.always === false && node.prefixItems !== undefined;
    return (run, value, place, marks) => {
      marks?.push(null);
      if (schema.always === true || value.length <= from) return true;
      if (isLimit) {
        return fail(run, node, "items", value, place, () => ({
          message: `must NOT have more than ${from} items`,
          params: { limit: from },
        }));
      }
      let valid = true;
      if (schema.plain === PLAIN.STRING && run.report === undefined) {
        spend(run, value.length);
        for (let i = from; i < value.length; i++) if (typeof value[i] !== "string") return false;
        return true;
      }
      for (let i = from; i < value.length; i++) {
        const at = place === undefined ? undefined : below(run, place, i);
        if (schema.check(run, value[i], at, undefined)) continue;
        if (run.report === undefined) return false;
        valid = false;
      }
      return valid;
    };
  },
});

/** `contains`, `minContains` and `maxContains` (2020-12 Core, section 10.3.1.3). */
export const contains: Keyword = keyword({
  name: "contains",
  appliesTo: "array",
  compile: (node, { apply }) => {
    if (node.contains === undefined) return undefined;
    const schema = apply(node.contains);
    const min = node.minContains ?? 1;
    const max = node.maxContains;
    return (run, value, place, marks) => {
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
      const annotates = marks !== undefined && node.containsEvaluates === true;
      if (max === undefined && min === 0 && !annotates) return true;
      if (max !== undefined && min > max) return refuse();
      const opened = run.report?.open();
      let count = 0;
      for (let i = 0; i < value.length; i++) {
        if (!schema.check(run, value[i], below(run, place, i), undefined)) continue;
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
  },
});
