import type { ErrorObject } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { fullFormats } from "ajv-formats/dist/formats.js";
import { judgeEquality } from "./ajv-keywords/equality.ts";
import { judgeNumbers } from "./ajv-keywords/numbers.ts";
import { tellBranches } from "./branches.ts";

/** An error as Ajv reports it. */
export type EngineError = ErrorObject<string, Readonly<Record<string, unknown>>>;

/** All errors of a value, in Ajv's order. */
export type Validator = (value: unknown) => readonly EngineError[];

/**
 * Returns an Ajv that reports every error. The interpreter must report the same errors, with the same words, parameters
 * and order.
 */
export function allErrorsOf(schema: object | boolean): Validator {
  const ajv = new Ajv2020({
    allErrors: true,
    strict: false,
    logger: false,
    meta: false,
    validateSchema: false,
    inlineRefs: false,
    ownProperties: true,
    formats: fullFormats,
  });
  judgeNumbers(ajv);
  judgeEquality(ajv);
  tellBranches(ajv);
  const validate = ajv.compile<unknown>(schema);
  return (value) => (validate(value) ? [] : ((validate.errors ?? []) as readonly EngineError[]));
}
