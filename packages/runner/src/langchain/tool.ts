import { ownAccessors } from "../accessors.ts";
import { requireSchema } from "../contract/arguments.ts";
import { Contract } from "../contract/contract.ts";
import { ToolInputError } from "../contract/errors.ts";
import type { ContractOptions, ToolContract } from "../contract/options.ts";

/** A structured tool of LangChain, with only the members used here. */
export interface LangChainTool {
  readonly name: string;
  readonly schema: unknown;
  // Deprecated for callers, but `invoke` goes through it.
  call(arg: never, config?: never, tags?: string[]): Promise<unknown>;
}

/** Options for one LangChain tool. */
export interface LangChainOptions extends ContractOptions {
  /**
   * LangChain's own class (`@langchain/core/tools`). With it, agents recognize the error as one about the arguments
   * and report it to the model. Its `output` is the arguments as JSON, empty if they have none; its `cause` is our
   * error.
   */
  readonly ToolInputParsingException?: new (
    message: string,
    output: string,
  ) => Error;
  /**
   * LangChain's own class (`@langchain/core/messages`). With it, a refused tool call returns a message with `status:
   * "error"` instead of throwing an exception.
   */
  readonly ToolMessage?: new (fields: {
    content: string;
    tool_call_id: string;
    name: string;
    status: "error";
  }) => unknown;
  /** JSON Schema of the result: of the JSON text in a string, otherwise of the value. */
  readonly outputSchema?: unknown;
}

interface ToolCall {
  readonly type: "tool_call";
  readonly id?: unknown;
  readonly args: unknown;
}

function isToolCall(value: unknown): value is ToolCall {
  return typeof value === "object" && value !== null && Reflect.get(value, "type") === "tool_call";
}

function callId(arg: unknown, config: unknown): string | undefined {
  const own: unknown = isToolCall(arg) ? arg.id : undefined;
  const given = (config as { toolCall?: { id?: unknown } } | undefined)?.toolCall?.id;
  const id = own ?? given;
  return typeof id === "string" ? id : undefined;
}

/**
 * Returns whether LangChain itself checks the schema, as it does for Zod and other Standard Schemas. Any other kind
 * it does not check at all.
 */
function isSdkSchema(schema: unknown): boolean {
  const isObject = (typeof schema === "object" && schema !== null) || typeof schema === "function";
  return isObject && ("~standard" in schema || "_def" in schema || "_zod" in schema);
}

function acceptOutput(contract: Contract, result: unknown): void {
  // With `content_and_artifact`, the model's part comes first.
  if (typeof result === "string") contract.acceptResultText(result);
  else contract.acceptResult(result);
}

async function* checkedStream(stream: AsyncGenerator, contract: Contract): AsyncGenerator {
  const result = yield* stream;
  acceptOutput(contract, result);
  return result;
}

function isAsyncGenerator(value: unknown): value is AsyncGenerator {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

/** Returns arguments as JSON. Those made by a program may have no JSON, for example because of a cycle. */
function jsonOf(args: unknown): string {
  try {
    return JSON.stringify(args) ?? "";
  } catch {
    return "";
  }
}

type Call = (arg: unknown, config?: unknown, tags?: string[]) => Promise<unknown>;
type Handler = (arg: unknown, ...rest: unknown[]) => unknown;

/**
 * Wraps a structured tool (`tool(fn, { schema })` with a JSON Schema, or a `StructuredTool`) so that its handler is
 * never called with arguments that break the schema, and the model learns what to fix: LangChain's own check reports
 * only that something does not match. This also covers `_call` and `func`, which LangChain does not check. The
 * wrapped tool inherits from the tool, so it is an instance of the same classes; its handler and its accessors run
 * with the tool itself as `this`, including private members. The tool itself is not changed. A tool with a Zod schema
 * is checked by LangChain, in `invoke` and `call`; its `contract` says `sdk`.
 *
 * On bad arguments, `invoke` rejects with LangChain's exception if it is given, otherwise with a `ToolInputError`.
 * @throws InvalidSchemaError if the schema is missing or cannot be used, unless `lenient`
 */
export function withValidation<T extends LangChainTool>(
  tool: T,
  options: LangChainOptions = {},
): T & { readonly contract: ToolContract } {
  const { name, schema } = tool;
  const { ToolInputParsingException, ToolMessage, outputSchema } = options;
  const isOurs = !isSdkSchema(schema);
  if (isOurs) requireSchema(schema, "input", { ...options, name });
  const input = isOurs ? schema : undefined;
  const contract = new Contract({ tool: name, input, output: outputSchema }, options);
  const info: ToolContract = isOurs
    ? contract.info
    : { ...contract.info, input: { checked: false, reason: "sdk", faults: [] } };

  const refuse = (error: ToolInputError, args: unknown, id: string | undefined): unknown => {
    if (ToolMessage !== undefined && id !== undefined) {
      return new ToolMessage({ content: error.message, tool_call_id: id, name, status: "error" });
    }
    if (ToolInputParsingException === undefined) throw error;
    const parsingError = new ToolInputParsingException(error.message, jsonOf(args));
    throw Object.assign(parsingError, { cause: error });
  };

  const call: Call = async function (this: unknown, arg, config, tags) {
    const args = isToolCall(arg) ? arg.args : arg;
    let value: unknown;
    try {
      value = contract.accept(args);
    } catch (error) {
      if (!(error instanceof ToolInputError)) throw error;
      return refuse(error, args, callId(arg, config));
    }
    const handed = isToolCall(arg) ? { ...arg, args: value } : value;
    return (tool.call as Call).call(this, handed, config, tags);
  };

  // `call` leads to `_call`, which leads to `func`. A program may also call these directly.
  const guarded = (member: "_call" | "func"): PropertyDescriptorMap => {
    const run: unknown = Reflect.get(tool, member);
    if (typeof run !== "function") return {};
    const value: Handler = async (arg, ...rest) => {
      let taken: unknown;
      try {
        taken = contract.accept(arg);
      } catch (error) {
        if (!(error instanceof ToolInputError)) throw error;
        return refuse(error, arg, undefined);
      }
      // Called on the tool itself: an object that inherits from it does not have its private members.
      const result: unknown = await run.call(tool, taken, ...rest);
      if (!info.output.checked) return result;
      if (isAsyncGenerator(result)) return checkedStream(result, contract);
      const isPair = Reflect.get(tool, "responseFormat") === "content_and_artifact";
      acceptOutput(contract, isPair && Array.isArray(result) ? result[0] : result);
      return result;
    };
    return { [member]: { value, writable: true, configurable: true } };
  };

  return Object.create(tool, {
    ...ownAccessors(tool),
    call: { value: call, writable: true, configurable: true },
    contract: { value: info },
    ...guarded("_call"),
    ...guarded("func"),
  });
}
