import {
  compareDecimals,
  type Decimal,
  decimalOf,
  decimalText,
  isMultipleOf,
  roundText,
} from "../../../json/decimal.ts";
import { type Budget, spend } from "../../budget.ts";
import type { SchemaNode, SchemaNumber } from "../../graph/node.ts";
import type { Wording } from "../context.ts";
import type { Place } from "../place.ts";
import { fail, type Rule, type Run, type Vocabulary } from "../rule.ts";

/** Decimal digits that are compared or multiplied in one step. */
const DIGITS_PER_STEP = 1024;

/**
 * The order of a number and a limit, by their mathematical values: negative, zero or positive as
 * the number is less, equal or greater. NaN, which no JSON text holds, is in no order.
 */
function order(
  budget: Budget,
  value: number,
  exact: Decimal | undefined,
  limit: SchemaNumber,
): number {
  if (exact === undefined && limit.exact === undefined) {
    return value < limit.value ? -1 : value > limit.value ? 1 : value === limit.value ? 0 : NaN;
  }
  // Infinities have no decimal, and are beyond every number that has one.
  if (limit.exact === undefined && !Number.isFinite(limit.value)) return -limit.value;
  const a = exact ?? decimalOf(value);
  const b = limit.exact ?? decimalOf(limit.value);
  spend(budget, Math.ceil((a.digits.length + b.digits.length) / DIGITS_PER_STEP));
  return compareDecimals(a, b);
}

/** What the schema asks for, in the digits that it has there: those of a double may be others. */
function shown({ value, exact }: SchemaNumber): { readonly text: string; readonly params: object } {
  const text = exact && decimalText(exact);
  if (text !== undefined) return { text, params: { exact: text } };
  // Of digits that are too many to be told, the double says enough, where it is not beyond all doubles or below them.
  const isLost = exact !== undefined && (!Number.isFinite(value) || value === 0);
  return { text: isLost ? roundText(exact) : String(value), params: {} };
}

type Bound = "maximum" | "minimum" | "exclusiveMaximum" | "exclusiveMinimum";

function bound(
  keyword: Bound,
  comparison: string,
  holds: (order: number) => boolean,
): Rule<number> {
  return (run, node, value, place) => {
    const limit = node[keyword];
    if (limit === undefined || holds(order(run.budget, value, place?.tree?.exact, limit))) {
      return true;
    }
    return fail(run, node, keyword, value, place, () => {
      const { text, params } = shown(limit);
      const message = `must be ${comparison} ${text}`;
      return { message, params: { comparison, limit: limit.value, ...params } };
    });
  };
}

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
  // The division is by long hand, and ten to the power of the shift is made by squaring.
  const squarings = Math.log2(2 + Math.max(0, a.exponent - b.exponent));
  const work = b.digits.length * (a.digits.length + b.digits.length * squarings);
  spend(budget, Math.ceil(work / DIGITS_PER_STEP));
  return isMultipleOf(a, b);
}

function multipleOf(run: Run, node: SchemaNode, value: number, place: Place | undefined): boolean {
  const divisor = node.multipleOf;
  if (divisor === undefined || isMultiple(run.budget, value, place?.tree?.exact, divisor)) {
    return true;
  }
  return fail(run, node, "multipleOf", value, place, (): Wording => {
    const { text, params } = shown(divisor);
    const message = `must be multiple of ${text}`;
    return { message, params: { multipleOf: divisor.value, ...params } };
  });
}

function format(run: Run, node: SchemaNode, value: number, place: Place | undefined): boolean {
  const name = node.format;
  const check = name === undefined ? undefined : run.context.numberFormats?.(name);
  if (check === undefined || check(value, place?.tree?.exact)) return true;
  return fail(run, node, "format", value, place, () => ({
    message: `must match format "${name}"`,
    params: { format: name },
  }));
}

/** JSON Schema 2020-12 Validation, sections 6.2 and 7. */
export const NUMBER_RULES: Vocabulary<number> = [
  ["maximum", bound("maximum", "<=", (order) => order <= 0)],
  ["minimum", bound("minimum", ">=", (order) => order >= 0)],
  ["exclusiveMaximum", bound("exclusiveMaximum", "<", (order) => order < 0)],
  ["exclusiveMinimum", bound("exclusiveMinimum", ">", (order) => order > 0)],
  ["multipleOf", multipleOf],
  ["format", format],
];
