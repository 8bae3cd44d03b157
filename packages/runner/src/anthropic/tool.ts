import { quote } from "@touchstone/core/advanced";
import { requireObjectSchema } from "../contract/arguments.ts";
import { Contract } from "../contract/contract.ts";
import type { Contracted } from "../contract/options.ts";
import { type AnthropicOptions, guardTool, withContract } from "./guard.ts";

/** A tool for {@link checkedTool}: the fields of the API's tool, and the function that runs it. */
export interface AnthropicToolDefinition<Args, Context, Result> {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the arguments. `type: "object"` may be left out. */
  readonly inputSchema: unknown;
  /** JSON Schema of what `run` returns, which may then be any JSON value. */
  readonly outputSchema?: unknown;
  readonly run: (args: Args, context?: Context) => Result;
  readonly close?: () => void | Promise<void>;
}

/** The type inferred for a literal, but with mutable lists and members, as the SDK's own types have them. */
type Changeable<T> = T extends (...args: never[]) => unknown
  ? T
  : T extends object
    ? { -readonly [Key in keyof T]: Changeable<T[Key]> }
    : T;

/** Content blocks as returned by `run`; otherwise a string. */
export type AnthropicContent<Result> =
  Awaited<Result> extends infer Value
    ? Value extends readonly { readonly type: string }[]
      ? Changeable<Value>
      : string
    : never;

/** If there is an output schema, values are sent as text, even lists. */
type Sent<Definition, Result> = Definition extends { readonly outputSchema: infer Schema }
  ? unknown extends Schema
    ? string | AnthropicContent<Result>
    : Schema extends null | undefined
      ? AnthropicContent<Result>
      : string
  : AnthropicContent<Result>;

/** The members of a definition that are sent as they are. */
export type AnthropicMembers<Definition> = {
  readonly [Name in Exclude<
    keyof Definition,
    keyof AnthropicToolDefinition<never, never, never>
  >]: Changeable<Definition[Name]>;
};

/** What `client.beta.messages.toolRunner` accepts. `Content` is the form in which a result is sent to the model. */
export interface AnthropicTool<Args, Context, Content> extends Contracted {
  readonly type: "custom";
  readonly name: string;
  readonly description?: string;
  readonly input_schema: { type: "object"; [keyword: string]: unknown };
  readonly parse: (content: unknown) => Args;
  readonly run: (args: Args, context?: Context) => Content | Promise<Content>;
  readonly close?: () => void | Promise<void>;
}

const isBlock = (value: unknown): boolean =>
  typeof value === "object" && value !== null && typeof Reflect.get(value, "type") === "string";

/** Strings and content blocks are sent as content, everything else as its JSON text. */
function contentOf(result: unknown, isValue: boolean): unknown {
  const isContent = typeof result === "string" || (Array.isArray(result) && result.every(isBlock));
  return isContent && !isValue ? result : (JSON.stringify(result) ?? "");
}

/**
 * Makes a runnable tool for `client.beta.messages.toolRunner`, like `betaTool`, with its arguments checked as {@link
 * withValidation} does. Everything else in the definition (`strict`, `cache_control`, `allowed_callers` …) is sent to
 * the API as it is. Without an `outputSchema`, a string or a list of content blocks is sent as it is, and anything else
 * as its JSON text. With an `outputSchema`, the value that `run` returns is checked and sent as its JSON text.
 * @throws InvalidSchemaError for a schema that cannot be used, unless `lenient`, and for one that allows no object
 * @throws TypeError if there is no `run`
 */
export function checkedTool<
  Args = Record<string, unknown>,
  Context = unknown,
  const Result = unknown,
  const Definition extends object = object,
>(
  definition: AnthropicToolDefinition<Args, Context, Result> & Definition,
  options: Omit<AnthropicOptions, "outputSchema"> = {},
): AnthropicMembers<Definition> & AnthropicTool<Args, Context, Sent<Definition, Result>> {
  const { inputSchema, outputSchema, run, ...rest } = definition;
  const { name } = definition;
  if (typeof run !== "function")
    throw new TypeError(`the tool ${quote(String(name), 128)} has no run`);
  const input = requireObjectSchema(name, inputSchema, definition);
  const contract = new Contract({ tool: name, input, output: outputSchema }, options);
  const hasOutput = outputSchema !== undefined && outputSchema !== null;
  const parts = guardTool({
    contract,
    ToolError: options.ToolError,
    run: (args, context) => run(args as Args, context as Context),
    parse: (content) => content,
    settle: (result) => {
      contract.acceptSent(result);
      return contentOf(result, hasOutput);
    },
  });
  const tool = { ...rest, type: "custom", name, input_schema: input, ...parts };
  return withContract(tool, contract.info) as unknown as AnthropicMembers<Definition> &
    AnthropicTool<Args, Context, Sent<Definition, Result>>;
}
