import { asObjectSchema, requireSchema } from "../contract/arguments.ts";
import { Contract } from "../contract/contract.ts";
import type { ContractOptions, ToolContract } from "../contract/options.ts";

/** What the AI SDK's `validate` returns. */
export type AiValidation =
  | { readonly success: true; readonly value: never }
  | { readonly success: false; readonly error: Error };

/** What is needed from the AI SDK (`import { jsonSchema, TypeValidationError } from "ai"`). */
export interface AiSdk<S> {
  /** The SDK's own `jsonSchema`; `jsonSchema<Weather>` sets the type of the arguments. */
  readonly jsonSchema: (
    schema: never,
    options: { readonly validate: (value: unknown) => AiValidation },
  ) => S;
  /**
   * The SDK's own error class. With it, the model gets only our text. Without it, the SDK puts the arguments, as
   * JSON, in front.
   */
  readonly TypeValidationError?: new (options: {
    value: unknown;
    cause: unknown;
  }) => Error;
}

/** Options for one AI SDK schema. */
export interface AiOptions extends ContractOptions {
  /** The tool's name in messages. Default `tool`. */
  readonly name?: string;
}

export type Validate = (value: unknown) => AiValidation;

/** Returns a function that checks a value in the form that the AI SDK expects. */
export function validation(
  { TypeValidationError }: Partial<AiSdk<unknown>>,
  contract: Contract,
): Validate {
  return (value) => {
    try {
      return { success: true, value: contract.accept(value) as never };
    } catch (cause) {
      const error = cause instanceof Error ? cause : new Error(String(cause));
      if (TypeValidationError === undefined) return { success: false, error };
      // The SDK error's own message contains the whole value.
      const sdkError = Object.assign(new TypeValidationError({ value, cause }), {
        message: error.message,
      });
      return { success: false, error: sdkError };
    }
  };
}

/**
 * Returns a JSON Schema for `inputSchema` of the AI SDK's `tool` and `dynamicTool`, made by the SDK's own
 * `jsonSchema`, which checks nothing unless it is given a `validate`. A call that breaks the schema becomes an
 * `InvalidToolInputError` with a text for the model, and `execute` does not run.
 * @throws InvalidSchemaError if the schema is missing or cannot be used, unless `lenient`
 * @throws TypeError if the SDK's `jsonSchema` is not given
 */
export function checkedSchema<S extends object>(
  sdk: AiSdk<S>,
  schema: unknown,
  options: AiOptions = {},
): S & { readonly contract: ToolContract } {
  if (typeof sdk?.jsonSchema !== "function") {
    throw new TypeError("checkedSchema takes { jsonSchema } of the AI SDK first");
  }
  requireSchema(schema, "input", options);
  const input = asObjectSchema(schema);
  const contract = new Contract({ tool: options.name ?? "tool", input }, options);
  const made = sdk.jsonSchema(input as never, { validate: validation(sdk, contract) });
  return Object.defineProperty(made, "contract", { value: contract.info }) as S & {
    readonly contract: ToolContract;
  };
}
