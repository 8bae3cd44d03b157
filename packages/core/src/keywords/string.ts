import { quote } from "../json/quote.ts";
import { readCount, shownCount } from "./count.ts";
import { countText } from "./explain.ts";
import { type Keyword, keyword } from "./keyword.ts";
import type { SchemaPattern } from "./node.ts";
import { reportFailure, spendSteps, textCost } from "./run.ts";
import { COUNT_SHAPE, type KeywordShape, TEXT_SHAPE } from "./shape.ts";

declare module "./node.ts" {
  interface SchemaNode {
    readonly maxLength?: number;
    readonly minLength?: number;
    readonly pattern?: SchemaPattern;
    /** A known format that is asserted. */
    readonly format?: string;
  }
}

/** Returns whether the text has more than `limit` characters (RFC 8259: Unicode code points). */
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

/** `maxLength` (2020-12 Validation, section 6.3.1). */
export const maxLength: Keyword = keyword({
  name: "maxLength",
  vocabulary: "validation",
  since: "draft-04",
  shape: COUNT_SHAPE,
  read: readCount("maxLength"),
  appliesTo: "string",
  explain: {
    received: "length",
    demand: ({ params: { limit, exact } }) =>
      `must have at most ${countText("character", "characters", limit, exact)}`,
  },
  compile: (node) => {
    const limit = node.maxLength;
    if (limit === undefined) return undefined;
    return (run, value, place) => {
      if (value.length > limit) spendSteps(run, value.length >>> 4);
      if (!isLonger(value, limit)) return true;
      return reportFailure(run, node, "maxLength", value, place, () => {
        const { text, exact } = shownCount(node, "maxLength", limit);
        const message = `must NOT have more than ${text} characters`;
        return { message, params: { limit, ...exact } };
      });
    };
  },
});

/** `minLength` (2020-12 Validation, section 6.3.2). */
export const minLength: Keyword = keyword({
  name: "minLength",
  vocabulary: "validation",
  since: "draft-04",
  shape: COUNT_SHAPE,
  read: readCount("minLength"),
  appliesTo: "string",
  explain: {
    received: "length",
    isRewritable: true,
    demand: ({ params: { limit, exact } }) =>
      `must have at least ${countText("character", "characters", limit, exact)}`,
  },
  compile: (node) => {
    const limit = node.minLength;
    if (limit === undefined || limit <= 0) return undefined;
    return (run, value, place) => {
      if (value.length < 2 * limit) spendSteps(run, value.length >>> 4);
      if (isLonger(value, limit - 1)) return true;
      return reportFailure(run, node, "minLength", value, place, () => {
        const { text, exact } = shownCount(node, "minLength", limit);
        const message = `must NOT have fewer than ${text} characters`;
        return { message, params: { limit, ...exact } };
      });
    };
  },
});

/**
 * Returns the work of reading a pattern and creating its matcher, in units of about a microsecond; at most the limit
 * of one check.
 */
export function patternWork({ source }: SchemaPattern): number {
  return Math.min(20 + 2 * source.length, 500);
}

const PATTERN: KeywordShape<SchemaPattern> = {
  read(from, keyword) {
    const source = TEXT_SHAPE.read(from, keyword);
    return source === undefined ? undefined : from.pattern(source, keyword);
  },
  write: ({ source }) => source,
};

/** `pattern` (2020-12 Validation, section 6.3.3). The matcher spends more steps itself. */
export const pattern: Keyword = keyword({
  name: "pattern",
  vocabulary: "validation",
  since: "draft-04",
  shape: PATTERN,
  cost: ({ pattern: text }) => (text === undefined ? 0 : patternWork(text)),
  appliesTo: "string",
  explain: {
    received: "length",
    demand: ({ params }) => `must match the pattern ${quote(String(params["pattern"]), 120)}`,
  },
  compile: (node, context) => {
    const source = node.pattern?.source;
    if (source === undefined) return undefined;
    const matcher = context.pattern(source);
    return (run, value, place) => {
      spendSteps(run, textCost(value));
      if (matcher.test(value, run)) return true;
      return reportFailure(run, node, "pattern", value, place, () => ({
        message: `must match pattern "${source}"`,
        params: { pattern: source },
      }));
    };
  },
});

function wording(name: string) {
  return { message: `must match format "${name}"`, params: { format: name } };
}

/** The maximum number of times that a format check reads a text. */
const FORMAT_READINGS = 4;

/** `format` for texts (2020-12 Validation, section 7). */
export const format: Keyword = keyword({
  name: "format",
  vocabulary: "format",
  since: "draft-04",
  shape: TEXT_SHAPE,
  read(node, from) {
    const name = TEXT_SHAPE.read(from, "format");
    const known = name === undefined ? undefined : from.format(name);
    if (known !== undefined) node.format = known;
  },
  appliesTo: "string",
  issueClass: "format",
  explain: {
    received: "length",
    isRewritable: true,
    demand: ({ params: { format: name } }, { example }) => {
      if (typeof name !== "string") return undefined;
      const text = example(name);
      return `must be a valid ${quote(name)}${text === undefined ? "" : `, like ${text}`}`;
    },
  },
  compile: (node, context) => {
    const name = node.format ?? "";
    const check = context.format(name);
    if (check === undefined) return undefined;
    return (run, value, place) => {
      spendSteps(run, FORMAT_READINGS * textCost(value));
      return check(value) || reportFailure(run, node, "format", value, place, () => wording(name));
    };
  },
});

/** `format` for numbers: the OpenAPI formats. */
export const numberFormat: Keyword = keyword({
  name: "format",
  vocabulary: "format",
  since: "draft-04",
  shape: TEXT_SHAPE,
  // The other `format` keyword reads it.
  read: () => {},
  write: () => {},
  appliesTo: "number",
  issueClass: "format",
  compile: (node, context) => {
    const name = node.format ?? "";
    const check = context.numberFormat(name);
    if (check === undefined) return undefined;
    return (run, value, place) =>
      check(value, place?.tree?.exact) ||
      reportFailure(run, node, "format", value, place, () => wording(name));
  },
});
