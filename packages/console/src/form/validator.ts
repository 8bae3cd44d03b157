import {
  type RJSFSchema,
  type RJSFValidationError,
  toErrorSchema,
  type ValidationData,
  type ValidatorType,
} from "@rjsf/utils";
import { type CompiledSchema, compileSchema, pointerTokens } from "@touchstone/core";

/** Where a part of a form's schema finds the whole, to which its references lead. */
const ROOT = "form:root";
const MAX_COMPILED = 500;

function toRoot(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toRoot);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      key === "$ref" && typeof each === "string" && each.startsWith("#")
        ? ROOT + each
        : toRoot(each),
    ]),
  );
}

function propertyOf(pointer: string): string {
  return pointerTokens(pointer)
    .map((token) => `.${token}`)
    .join("");
}

/**
 * What the form's library asks where it has to know which of several schemas a value follows, over
 * core. The form itself is judged elsewhere, by the text of its value.
 */
export class FormValidator implements ValidatorType {
  #root: unknown;
  readonly #compiled = new Map<string, CompiledSchema>();

  #compile(schema: RJSFSchema, root: RJSFSchema): CompiledSchema {
    if (root !== this.#root) this.reset();
    this.#root = root;
    const key = JSON.stringify(schema);
    const known = this.#compiled.get(key);
    if (known !== undefined) return known;
    if (this.#compiled.size >= MAX_COMPILED) this.#compiled.clear();
    const value = schema === root ? schema : toRoot(schema);
    const made = compileSchema({ value }, { documents: { [ROOT]: root } });
    this.#compiled.set(key, made);
    return made;
  }

  /** Whether a value follows a schema whose references lead into `root`; not where it cannot be used. */
  isValid(schema: RJSFSchema, value: unknown, root: RJSFSchema): boolean {
    return this.#compile(schema, root).isValid(value);
  }

  /** What is wrong with a value, in the library's shape. */
  validateFormData(value: unknown, schema: RJSFSchema): ValidationData<unknown> {
    const errors = this.rawValidation<RJSFValidationError>(schema, value).errors ?? [];
    return { errors, errorSchema: toErrorSchema(errors) };
  }

  rawValidation<Result = RJSFValidationError>(
    schema: RJSFSchema,
    value?: unknown,
  ): { errors?: Result[] } {
    const { errors } = this.#compile(schema, schema).checkValue(value);
    return {
      errors: errors.map(
        ({ path, message, keyword = "" }) =>
          ({ property: propertyOf(path), message, name: keyword, stack: message }) as Result,
      ),
    };
  }

  /** Forgets what was compiled. */
  reset(): void {
    this.#compiled.clear();
  }
}
