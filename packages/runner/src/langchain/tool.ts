import { requireSchema } from "../contract/arguments.ts";
import { Contract } from "../contract/contract.ts";
import { ToolInputError } from "../contract/errors.ts";
import type { ContractOptions, ToolContract } from "../contract/options.ts";
import { ownAccessors } from "../own-accessors.ts";

/** A structured tool of LangChain, by the members that are used here. */
export interface LangChainTool {
  readonly name: string;
  readonly schema: unknown;
  // Deprecated for callers, and what `invoke` goes through.
  call(arg: never, config?: never, tags?: string[]): Promise<unknown>;
}

/** Options of one tool of LangChain. */
export interface LangChainOptions extends ContractOptions {
  /**
   * LangChain's own (`@langchain/core/tools`): with it agents know the error for one of the
   * arguments and tell the model. Its `output` is the arguments as JSON, empty if they have none; its
   * `cause` is ours.
   */
  readonly ToolInputParsingException?: new (
    message: string,
    output: string,
  ) => Error;
  /**
   * LangChain's own (`@langchain/core/messages`): with it a refused tool call is answered by a message
   * with `status: "error"` instead of an exception.
   */
  readonly ToolMessage?: new (fields: {
    content: string;
    tool_call_id: string;
    name: string;
    status: "error";
  }) => unknown;
  /** JSON Schema of the result: of the JSON text in a string, else of the value. */
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

/** Zod and other Standard Schemas are checked by LangChain itself. What is neither, it does not check at all. */
function isSdkSchema(schema: unknown): boolean {
  const isObject = (typeof schema === "object" && schema !== null) || typeof schema === "function";
  return isObject && ("~standard" in schema || "_def" in schema || "_zod" in schema);
}

function acceptOutput(contract: Contract, result: unknown): void {
  // `content_and_artifact`: what the model gets comes first.
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

/** Arguments that a program made may have none: with a cycle, say. */
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
 * Wraps a structured tool (`tool(fn, { schema })` with a JSON Schema, or a `StructuredTool`) so that
 * its handler is never called on arguments that break the schema, and the model is told what to fix:
 * LangChain's own check says only that something does not match. That holds for `_call` and `func`, too,
 * which LangChain checks nothing of. The wrapped tool inherits from the tool, so that it is whatever the
 * tool is; its handler and its accessors run as the tool's own, private members and all. The tool itself
 * is not changed. A tool whose schema is Zod's is checked by LangChain, in `invoke` and `call`; its
 * `contract` says `sdk`.
 *
 * `invoke` rejects with LangChain's exception where it is given, else with a `ToolInputError`.
 * @throws InvalidSchemaError for a schema that cannot be used, or is not there, unless `lenient`
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
    const told = new ToolInputParsingException(error.message, jsonOf(args));
    throw Object.assign(told, { cause: error });
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

  // `call` ends in `_call`, and that in `func`; a program may also begin there.
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
      // As the tool itself: what inherits from it has none of its private members.
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
