import { _, type Ajv, type KeywordCxt } from "ajv";
import { decimalOf, isMultipleOf } from "../../../json/decimal.ts";
import { replaceKeyword, useFunction } from "./replace.ts";

function isMultiple(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  if (!Number.isFinite(value) || !Number.isFinite(divisor)) return value === 0;
  return isMultipleOf(decimalOf(value), decimalOf(divisor));
}

/**
 * Replaces Ajv's `multipleOf`, which divides doubles and so refuses 19.99 as a multiple of 0.01, by
 * a decimal one.
 */
export function judgeNumbers(ajv: Ajv): void {
  replaceKeyword(ajv, "multipleOf", () => ({
    code(cxt: KeywordCxt): void {
      const divisor: number = cxt.schema;
      cxt.fail(_`!${useFunction(cxt, isMultiple)}(${cxt.data}, ${divisor})`);
    },
  }));
}
