import { plainLine } from "../json/quote.ts";
import { addToAllOf } from "./composite.ts";
import { readCount, shownCount } from "./count.ts";
import { countText, type KeywordExplanation, numberText } from "./explain.ts";
import { type AppliedSchema, type Keyword, keyword, PLAIN_TYPE } from "./keyword.ts";
import { placeBelow, reportFailure, spendSteps } from "./run.ts";
import { COUNT_SHAPE, SCHEMA_LIST_SHAPE, SCHEMA_SHAPE, type SchemaReader } from "./shape.ts";

declare module "./node.ts" {
  interface SchemaNode {
    readonly prefixItems?: readonly SchemaNode[];
    readonly items?: SchemaNode;
    readonly contains?: SchemaNode;
    /** Whether items that match `contains` count as evaluated: they do from 2020-12 on (Core, section 11.2). */
    readonly containsEvaluates?: boolean;
    /** Set only together with `contains`. */
    readonly maxContains?: number;
    readonly minContains?: number;
  }
}

/** Returns whether `items` is a list, as up to 2019-09. */
function isTuple(from: SchemaReader): boolean {
  return from.dialect !== "2020-12" && Array.isArray(from.value("items"));
}

/** `prefixItems`, and `items` as a list up to 2019-09 (2020-12 Core, section 10.3.1.1). */
export const prefixItems: Keyword = keyword({
  name: "prefixItems",
  vocabulary: "applicator",
  since: "2020-12",
  shape: SCHEMA_LIST_SHAPE,
  where: "items",
  read(node, from) {
    const list = SCHEMA_LIST_SHAPE.read(from, "prefixItems");
    if (list !== undefined) node.prefixItems = list;
    if (!isTuple(from)) return;
    node.prefixItems = SCHEMA_LIST_SHAPE.read(from, "items") ?? [];
    from.written(node, "prefixItems", "items");
  },
  appliesTo: "array",
  compile: (node, { apply }) => {
    const schemas = (node.prefixItems ?? []).map(apply);
    if (schemas.length === 0) return undefined;
    return (run, value, place, marks) => {
      const count = Math.min(schemas.length, value.length);
      let valid = true;
      for (let i = 0; i < count; i++) {
        const schema = schemas[i] as AppliedSchema;
        if (schema.check(run, value[i], placeBelow(run, place, i), undefined)) continue;
        if (run.report === undefined) return false;
        valid = false;
      }
      if (count > 0) marks?.push(count === value.length ? null : -count);
      return valid;
    };
  },
});

/** What is known about an issue for too many items, and for one about each item. */
export const ITEM_LIMIT_EXPLANATION: KeywordExplanation = {
  received: "length",
  // The params contain a limit if no items may follow a tuple.
  demand: ({ params: { limit } }) =>
    typeof limit === "number"
      ? `must have at most ${countText("item", "items", limit)}`
      : undefined,
};

/** `items`, and `additionalItems` up to 2019-09 (2020-12 Core, section 10.3.1.2). */
export const items: Keyword = keyword({
  name: "items",
  vocabulary: "applicator",
  since: "2020-12",
  older: [
    {
      name: "items",
      vocabulary: "applicator",
      since: "draft-04",
      until: "2019-09",
      holds: "schema or list",
    },
    {
      name: "additionalItems",
      vocabulary: "applicator",
      since: "draft-04",
      until: "2019-09",
      holds: "schema",
      issueClass: "extra",
    },
  ],
  shape: SCHEMA_SHAPE,
  where: "items",
  read(node, from) {
    // Only a list can have additional items (2019-09 Core, section 9.3.1.2).
    const name = isTuple(from) ? "additionalItems" : "items";
    const rest = SCHEMA_SHAPE.read(from, name);
    if (rest === undefined) return;
    node.items = rest;
    if (name !== "items") from.written(node, "items", name);
  },
  appliesTo: "array",
  explain: ITEM_LIMIT_EXPLANATION,
  isIdle: (node) => node.items?.always === true,
  compile: (node, { apply }) => {
    if (node.items === undefined) return undefined;
    const schema = apply(node.items);
    const from = node.prefixItems?.length ?? 0;
    // After a tuple, Ajv words `false` as a limit on the array, otherwise for each item.
    const isLimit = schema.always === false && node.prefixItems !== undefined;
    return (run, value, place, marks) => {
      marks?.push(null);
      if (schema.always === true || value.length <= from) return true;
      if (isLimit) {
        return reportFailure(run, node, "items", value, place, () => ({
          message: `must NOT have more than ${from} items`,
          params: { limit: from },
        }));
      }
      let valid = true;
      if (schema.plain === PLAIN_TYPE.STRING && run.report === undefined) {
        spendSteps(run, value.length);
        for (let i = from; i < value.length; i++) if (typeof value[i] !== "string") return false;
        return true;
      }
      for (let i = from; i < value.length; i++) {
        const at = place === undefined ? undefined : placeBelow(run, place, i);
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
  vocabulary: "applicator",
  since: "draft-06",
  shape: SCHEMA_SHAPE,
  where: "items",
  read(node, from) {
    const schema = SCHEMA_SHAPE.read(from, "contains");
    if (schema === undefined) return;
    node.contains = schema;
    if (from.dialect === "2020-12") node.containsEvaluates = true;
  },
  write({ contains, containsEvaluates, unevaluatedItems, minContains, maxContains }, into, below) {
    if (contains === undefined) return;
    const written = {
      contains: below(contains),
      ...(maxContains !== undefined && { maxContains }),
      ...(minContains !== undefined && { minContains }),
    };
    // Up to 2019-09, `contains` does not evaluate items. A double negation keeps the condition and drops the
    // annotations.
    if (containsEvaluates === true || unevaluatedItems === undefined) Object.assign(into, written);
    else addToAllOf(into, [{ not: { not: written } }]);
  },
  appliesTo: "array",
  explain: {
    received: "length",
    branches: { are: "trials", of: ({ contains: schema }) => schema && [schema] },
    demand: ({ node, message, params: { minContains: least = 1, maxContains: most } }, words) => {
      const described = node?.contains && words.describe(node.contains);
      const isOne = (most ?? least) === 1;
      const kind =
        described === undefined
          ? `${isOne ? "matches" : "match"} the schema in "contains"`
          : `${isOne ? "is" : "are each"} ${described}`;
      // The message shows the digits of counts that no double holds.
      const counts = /at least (\S+)(?: and no more than (\S+))?/.exec(plainLine(message));
      const [, lower = numberText(least), upper = numberText(most)] = counts ?? [];
      const noun = isOne ? "item" : "items";
      if (most === undefined) return `must contain at least ${lower} ${noun} that ${kind}`;
      const bounds =
        lower === upper ? `exactly ${lower}` : `at least ${lower} and at most ${upper}`;
      return `must contain ${bounds} ${noun} that ${kind}`;
    },
  },
  compile: (node, { apply }) => {
    if (node.contains === undefined) return undefined;
    const schema = apply(node.contains);
    const min = node.minContains ?? 1;
    const max = node.maxContains;
    return (run, value, place, marks) => {
      const refuse = (): false =>
        reportFailure(run, node, "contains", value, place, () => {
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
      const { declared } = run;
      const annotates = marks !== undefined && node.containsEvaluates === true;
      const triesAll = annotates || declared !== undefined;
      if (max === undefined && min === 0 && !triesAll) return true;
      if (max !== undefined && min > max) return refuse();
      const opened = run.report?.open();
      let count = 0;
      for (let i = 0; i < value.length; i++) {
        const before = declared?.size ?? 0;
        if (!schema.check(run, value[i], placeBelow(run, place, i), undefined)) {
          declared?.cut(before);
          continue;
        }
        count++;
        if (annotates) marks.push(i);
        if (max === undefined ? count >= min && !triesAll : count > max) break;
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

function countOfContains(name: "maxContains" | "minContains"): Keyword {
  return keyword({
    name,
    vocabulary: "validation",
    since: "2019-09",
    shape: COUNT_SHAPE,
    beside: "contains",
    appliesTo: "array",
    read: readCount(name),
    // Written by `contains`.
    write: () => {},
  });
}

export const maxContains: Keyword = countOfContains("maxContains");
export const minContains: Keyword = countOfContains("minContains");
