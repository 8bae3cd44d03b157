import {
  compareDecimals,
  type Decimal,
  decimalOf,
  decimalText,
  isMultipleOf,
  roundText,
} from "../json/decimal.ts";
import type { ExactDecimals } from "../json/exact.ts";
import { exactOperand } from "./explain.ts";
import { type Keyword, keyword } from "./keyword.ts";
import type { NodeDraft, SchemaNumber } from "./node.ts";
import { type Budget, type KeywordCheck, reportFailure, spendSteps } from "./run.ts";
import { BOOLEAN_SHAPE, NUMBER_SHAPE, type SchemaReader } from "./shape.ts";

declare module "./node.ts" {
  interface SchemaNode {
    readonly multipleOf?: SchemaNumber;
    readonly maximum?: SchemaNumber;
    readonly exclusiveMaximum?: SchemaNumber;
    readonly minimum?: SchemaNumber;
    readonly exclusiveMinimum?: SchemaNumber;
  }
}

/** Decimal digits that are compared or multiplied in one step. */
const DIGITS_PER_STEP = 1024;

/**
 * Compares a number with a limit by their mathematical values: negative, zero or positive if the number is less,
 * equal or greater.
 */
function order(
  budget: Budget,
  value: number,
  exact: Decimal | undefined,
  limit: SchemaNumber,
): number {
  if (exact === undefined && limit.exact === undefined) return value - limit.value;
  // Infinities have no decimal and are beyond every number that has one.
  if (limit.exact === undefined && !Number.isFinite(limit.value)) return -limit.value;
  const a = exact ?? decimalOf(value);
  const b = limit.exact ?? decimalOf(limit.value);
  spendSteps(budget, Math.ceil((a.digits.length + b.digits.length) / DIGITS_PER_STEP));
  return compareDecimals(a, b);
}

/** Returns the required number in the schema's digits: those of a double may differ. */
function shown({ value, exact }: SchemaNumber): { readonly text: string; readonly params: object } {
  const text = exact && decimalText(exact);
  if (text !== undefined) return { text, params: { exact: text } };
  // If there are too many digits to show, shows the double, unless it is infinite or zero.
  const isLost = exact !== undefined && (!Number.isFinite(value) || value === 0);
  return { text: isLost ? roundText(exact) : String(value), params: {} };
}

/** A comparison that is done inline if both numbers are doubles, as most are. */
type Holds = (value: number, limit: number) => boolean;

/** The wording for each kind of bound. In draft-04, `minimum` is exclusive if `exclusiveMinimum` is true. */
const COMPARISONS: ReadonlyMap<unknown, string> = new Map([
  [">=", "at least"],
  ["<=", "at most"],
  [">", "more than"],
  ["<", "less than"],
]);

const EXCLUSIVE = { maximum: "exclusiveMaximum", minimum: "exclusiveMinimum" } as const;

/** In draft-04, a boolean next to a limit makes it exclusive (Validation, section 5.1.2). */
function readBound(
  node: NodeDraft,
  from: SchemaReader,
  name: keyof typeof EXCLUSIVE | (typeof EXCLUSIVE)[keyof typeof EXCLUSIVE],
): void {
  const isExclusive = name !== "maximum" && name !== "minimum";
  if (isExclusive && from.dialect === "draft-04") return;
  const limit = NUMBER_SHAPE.read(from, name);
  const flagged =
    !isExclusive && from.dialect === "draft-04" && BOOLEAN_SHAPE.read(from, EXCLUSIVE[name]);
  if (limit === undefined) return;
  if (flagged === true) {
    node[EXCLUSIVE[name]] = limit;
    from.written(node, EXCLUSIVE[name], name);
  } else node[name] = limit;
}

function bound(
  name: "maximum" | "minimum" | "exclusiveMaximum" | "exclusiveMinimum",
  comparison: string,
  check: (limit: number, otherwise: KeywordCheck<number>, isExact: boolean) => KeywordCheck<number>,
  holds: Holds,
): Keyword {
  return keyword({
    name,
    vocabulary: "validation",
    since: "draft-04",
    shape: NUMBER_SHAPE,
    appliesTo: "number",
    explain: {
      demand: (raised) => {
        const { comparison: shown, limit } = raised.params;
        const bound = COMPARISONS.get(shown);
        return bound && `must be ${bound} ${exactOperand(raised, limit)}`;
      },
    },
    read: (node, from) => readBound(node, from, name),
    compile: (node) => {
      const limit = node[name];
      if (limit === undefined) return undefined;
      const otherwise: KeywordCheck<number> = (run, value, place) => {
        if (holds(order(run, value, place?.tree?.exact, limit), 0)) return true;
        return reportFailure(run, node, name, value, place, () => {
          const { text, params } = shown(limit);
          const message = `must be ${comparison} ${text}`;
          return { message, params: { comparison, limit: limit.value, ...params } };
        });
      };
      return check(limit.value, otherwise, limit.exact !== undefined);
    },
  });
}

/** 2020-12 Validation, sections 6.2.2 to 6.2.5. */
export const maximum: Keyword = bound(
  "maximum",
  "<=",
  (limit, otherwise, isExact) => (run, value, place, marks) =>
    (!isExact && place === undefined && value <= limit) || otherwise(run, value, place, marks),
  (value, limit) => value <= limit,
);
export const minimum: Keyword = bound(
  "minimum",
  ">=",
  (limit, otherwise, isExact) => (run, value, place, marks) =>
    (!isExact && place === undefined && value >= limit) || otherwise(run, value, place, marks),
  (value, limit) => value >= limit,
);
export const exclusiveMaximum: Keyword = bound(
  "exclusiveMaximum",
  "<",
  (limit, otherwise, isExact) => (run, value, place, marks) =>
    (!isExact && place === undefined && value < limit) || otherwise(run, value, place, marks),
  (value, limit) => value < limit,
);
export const exclusiveMinimum: Keyword = bound(
  "exclusiveMinimum",
  ">",
  (limit, otherwise, isExact) => (run, value, place, marks) =>
    (!isExact && place === undefined && value > limit) || otherwise(run, value, place, marks),
  (value, limit) => value > limit,
);

function isMultiple(
  budget: Budget,
  value: number,
  exact: Decimal | undefined,
  divisor: SchemaNumber,
): boolean {
  if (exact === undefined && divisor.exact === undefined) {
    if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor.value)) {
      return value % divisor.value === 0;
    }
  }
  if (divisor.exact === undefined && !Number.isFinite(divisor.value)) return value === 0;
  const a = exact ?? decimalOf(value);
  const b = divisor.exact ?? decimalOf(divisor.value);
  // This is a long division, and the power of ten for the shift is computed by squaring.
  const squarings = Math.log2(2 + Math.max(0, a.exponent - b.exponent));
  const work = b.digits.length * (a.digits.length + b.digits.length * squarings);
  spendSteps(budget, Math.ceil(work / DIGITS_PER_STEP));
  return isMultipleOf(a, b);
}

/** `multipleOf` with decimal arithmetic (2020-12 Validation, section 6.2.1). */
export const multipleOf: Keyword = keyword({
  name: "multipleOf",
  vocabulary: "validation",
  since: "draft-04",
  shape: NUMBER_SHAPE,
  appliesTo: "number",
  explain: {
    demand: (raised) =>
      `must be a multiple of ${exactOperand(raised, raised.params["multipleOf"])}`,
  },
  compile: (node) => {
    const divisor = node.multipleOf;
    if (divisor === undefined) return undefined;
    return (run, value, place) => {
      if (isMultiple(run, value, place?.tree?.exact, divisor)) return true;
      return reportFailure(run, node, "multipleOf", value, place, () => {
        const { text, params } = shown(divisor);
        const message = `must be multiple of ${text}`;
        return { message, params: { multipleOf: divisor.value, ...params } };
      });
    };
  },
});

/**
 * Returns the divisors whose nearest double is 0, which cannot divide anything. A validator that uses doubles takes
 * these as they are.
 */
export function zeroDivisors(decimals: ExactDecimals): ExactDecimals {
  const isTiny = ([pointer, { digits, exponent }]: readonly [string, Decimal]): boolean =>
    pointer.endsWith(`/${multipleOf.name}`) && Number(`${digits}e${exponent}`) === 0;
  return new Map([...decimals].filter(isTiny));
}
