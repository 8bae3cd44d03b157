import { _, type Ajv, type KeywordCxt } from "ajv";
import { compareDecimals, decimalOf, isMultipleOf } from "../../json/decimal.ts";
import type { Decimals } from "../../json/exact.ts";
import { instancePath } from "./path.ts";
import { replaceKeyword, useFunction } from "./replace.ts";

/** Where the keywords of one engine instance find exact numbers. */
export interface ExactNumbers {
  /** Those of the value that is being judged; set before each run. */
  instance: Decimals;
  /** Those in a keyword of a schema object, by pointers that start at the keyword's value. */
  ofSchema(schema: object, keyword: string): Decimals | undefined;
}

function isMultiple(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  if (!Number.isFinite(value) || !Number.isFinite(divisor)) return value === 0;
  return isMultipleOf(decimalOf(value), decimalOf(divisor));
}

/** Whether a number breaks a limit, by the sign of the comparison of the number with the limit. */
const BREAKS: Readonly<Record<string, (order: number) => boolean>> = {
  maximum: (order) => order > 0,
  minimum: (order) => order < 0,
  exclusiveMaximum: (order) => order >= 0,
  exclusiveMinimum: (order) => order <= 0,
};

/** In draft-04 a boolean beside the limit makes it exclusive (Validation, section 5.1.2). */
function limitKeyword(cxt: KeywordCxt): string {
  const exclusive = cxt.keyword === "maximum" ? "exclusiveMaximum" : "exclusiveMinimum";
  return cxt.parentSchema[exclusive] === true ? exclusive : cxt.keyword;
}

/**
 * Replaces Ajv's `multipleOf`, which divides doubles and so refuses 19.99 as a multiple of 0.01, by
 * a decimal one. With `exact`, it and the four limits judge numbers by their exact values.
 */
export function judgeNumbers(ajv: Ajv, exact?: ExactNumbers): void {
  replaceKeyword(ajv, "multipleOf", () => ({
    code(cxt: KeywordCxt): void {
      const divisor: number = cxt.schema;
      if (exact === undefined) {
        cxt.fail(_`!${useFunction(cxt, isMultiple)}(${cxt.data}, ${divisor})`);
        return;
      }
      const exactDivisor = exact.ofSchema(cxt.parentSchema, cxt.keyword)?.get("");
      const judge = (value: number, path: string): boolean => {
        const exactValue = exact.instance.get(path);
        if (exactValue === undefined && exactDivisor === undefined) {
          return isMultiple(value, divisor);
        }
        return isMultipleOf(exactValue ?? decimalOf(value), exactDivisor ?? decimalOf(divisor));
      };
      cxt.fail(_`!${useFunction(cxt, judge)}(${cxt.data}, ${instancePath(cxt)})`);
    },
  }));
  if (exact === undefined) return;
  for (const keyword of Object.keys(BREAKS)) {
    replaceKeyword(ajv, keyword, (original) => ({
      code(cxt: KeywordCxt): void {
        if (typeof cxt.schema !== "number") {
          original(cxt);
          return;
        }
        const limit: number = cxt.schema;
        const exactLimit = exact.ofSchema(cxt.parentSchema, keyword)?.get("");
        const breaks = BREAKS[limitKeyword(cxt)];
        const judge = (value: number, path: string): boolean => {
          const exactValue = exact.instance.get(path);
          // The shortest decimals of two doubles stand in the same order as the doubles.
          const order =
            exactValue === undefined && exactLimit === undefined
              ? value - limit
              : compareDecimals(exactValue ?? decimalOf(value), exactLimit ?? decimalOf(limit));
          return breaks?.(order) === true;
        };
        cxt.fail(_`${useFunction(cxt, judge)}(${cxt.data}, ${instancePath(cxt)})`);
      },
    }));
  }
}
