import { compileDeclared, modelLines, type StandardProps } from "@touchstone/core/advanced";
import { asObjectSchema, requireSchema } from "./contract/arguments.ts";
import { Contract } from "./contract/contract.ts";
import { ToolInputError } from "./contract/errors.ts";
import type { ContractOptions, ToolContract } from "./contract/options.ts";

/**
 * A JSON Schema as a Standard Schema and a Standard JSON Schema, version 1 (https://standardschema.dev), which SDKs
 * accept instead of a Zod schema. `validate` is synchronous and throws only what an `onRepair` throws. Each issue is
 * one line, written for a model.
 */
export interface ToolSchema<T = unknown> {
  readonly "~standard": Omit<StandardProps, "types" | "validate"> & {
    readonly types?: { readonly input: T; readonly output: T };
    readonly validate: (
      value: unknown,
    ) => { readonly value: T } | { readonly issues: readonly { readonly message: string }[] };
  };
  readonly contract: ToolContract;
}

/** Options of a {@link ToolSchema}. */
export interface ToolSchemaOptions extends ContractOptions {
  /** The tool name used in messages. Default `tool`. */
  readonly name?: string;
}

/**
 * Makes a {@link ToolSchema} from a JSON Schema: for `registerTool` of the MCP SDK v2, `parameters` of OpenAI Agents,
 * `betaStandardSchemaTool` of the Anthropic SDK, and anything else that takes a Standard Schema. Arguments are an
 * object: a schema without a `type` is read as if it had `type: "object"`.
 * @throws InvalidSchemaError for a schema that cannot be used, or is missing, unless `lenient`
 */
export function toolSchema<T = unknown>(
  schema: unknown,
  options: ToolSchemaOptions = {},
): ToolSchema<T> {
  const { name = "tool" } = options;
  requireSchema(schema, "input", options);
  const input = asObjectSchema(schema);
  const contract = new Contract({ tool: name, input }, options);
  const compiled = compileDeclared({ value: input }, options.compile);
  const given = compiled["~standard"];
  type Target = Parameters<typeof given.jsonSchema.input>[0];
  const jsonSchema = (target: Target): Record<string, unknown> => {
    return compiled.error === undefined ? given.jsonSchema.input(target) : { type: "object" };
  };
  return {
    "~standard": {
      version: 1,
      vendor: "touchstone",
      validate: (value) => {
        try {
          return { value: contract.accept(value) as T };
        } catch (error) {
          if (!(error instanceof ToolInputError)) throw error;
          const lines = modelLines(error.check, { whole: "the arguments" });
          return { issues: lines.map((message) => ({ message })) };
        }
      },
      jsonSchema: { input: jsonSchema, output: jsonSchema },
    },
    contract: contract.info,
  };
}
