import { asObjectSchema } from "../contract/arguments.ts";
import { CheckedArguments } from "../contract/checked-arguments.ts";
import { Contract, isThenable } from "../contract/contract.ts";
import type { Contracted, ContractOptions } from "../contract/options.ts";
import { withReplacedMembers } from "../replaced-members.ts";
import { requireTools } from "./output-schemas.ts";
import { type AiSdk, validation } from "./schema.ts";

/** A tool of the AI SDK, with only the members used here. */
export interface AiTool {
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  readonly execute?: unknown;
}

/** Options for a set of AI SDK tools. */
export type AiToolsOptions = ContractOptions &
  Pick<AiSdk<unknown>, "TypeValidationError"> & {
    /**
     * JSON Schemas of results, by tool name, for tools that declare none. A name that no tool has causes a TypeError.
     */
    readonly outputSchemas?: Readonly<Record<string, unknown>>;
  };

interface SdkSchema {
  readonly jsonSchema: unknown;
  readonly validate?: ((value: unknown) => unknown) | undefined;
}

function isSdkSchema(value: unknown): value is SdkSchema {
  return typeof value === "object" && value !== null && "jsonSchema" in value;
}

/**
 * If a schema is given as a function that makes it, calls that function, as the SDK does when it first needs the
 * schema. Returns everything else as it is, including a function that is itself a schema.
 */
function madeSchema(given: unknown): unknown {
  return typeof given === "function" && !("~standard" in given) ? given() : given;
}

function isValidated(value: unknown): value is { success: unknown; value?: unknown } {
  return typeof value === "object" && value !== null && "success" in value;
}

/** Methods of a tool that the SDK calls; `execute` only if it is not guarded. */
const HOOKS = [
  "execute",
  "needsApproval",
  "onInputStart",
  "onInputDelta",
  "onInputAvailable",
  "toModelOutput",
];

type Execute = (input: unknown, options: unknown) => unknown;

async function* lastChecked(results: AsyncIterable<unknown>, contract: Contract): AsyncGenerator {
  let last: unknown;
  for await (const result of results) {
    last = result;
    yield result;
  }
  // Earlier results are preliminary.
  contract.acceptResult(last);
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

function checkedExecute(
  tool: AiTool,
  contract: Contract,
  judged: CheckedArguments,
): Partial<AiTool> {
  const { execute } = tool;
  const { input, output } = contract.info;
  if (typeof execute !== "function" || !(input.checked || output.checked)) return {};
  const run: Execute = (given, options) => {
    const result: unknown = execute.call(tool, judged.take(given), options);
    if (!output.checked) return result;
    return isAsyncIterable(result)
      ? lastChecked(result, contract)
      : contract.acceptResultOf(result);
  };
  return { execute: run };
}

async function resolved(schema: unknown): Promise<unknown> {
  return isSdkSchema(schema) ? await schema.jsonSchema : undefined;
}

async function checkedAiTool(
  name: string,
  tool: AiTool,
  options: AiToolsOptions,
): Promise<AiTool & Contracted> {
  const inputSchema = madeSchema(tool.inputSchema);
  const declared = options.outputSchemas;
  const isNamed = declared !== undefined && Object.hasOwn(declared, name);
  const output = isNamed ? declared[name] : await resolved(madeSchema(tool.outputSchema));
  const input = asObjectSchema(await resolved(inputSchema));
  const contract = new Contract({ tool: name, input, output }, options);
  const judged = new CheckedArguments(contract);
  const execute = checkedExecute(tool, contract, judged);
  if (!isSdkSchema(inputSchema)) {
    const isTheirs = inputSchema !== undefined && inputSchema !== null;
    const inputSide = isTheirs
      ? ({ checked: false, reason: "sdk", faults: [] } as const)
      : contract.info.input;
    return withReplacedMembers(
      tool,
      { ...execute, contract: { ...contract.info, input: inputSide } },
      HOOKS,
    );
  }
  const ours = validation(options, contract);
  const theirs = inputSchema.validate;
  const validate = (value: unknown): unknown => {
    const result = ours(value);
    if (!result.success || theirs === undefined) return result;
    const noted = (last: unknown): unknown => {
      if (isValidated(last) && last.success) judged.note(last.value, result.value);
      return last;
    };
    const last = theirs(result.value);
    return isThenable(last) ? Promise.resolve(last).then(noted) : noted(last);
  };
  const checked = Object.defineProperty({ ...inputSchema, validate }, "contract", {
    value: contract.info,
  });
  return withReplacedMembers(
    tool,
    { ...execute, inputSchema: checked, contract: contract.info },
    HOOKS,
  );
}

/**
 * Checks an existing set of tools: those that `@ai-sdk/mcp` made from a server's list, or any whose `inputSchema`
 * came from `jsonSchema`. Checks arguments against it, even if `execute` is called with arguments other than those
 * that the SDK validated (for example, a call that was approved in another request, or changed since); it then throws
 * a `ToolInputError`. Checks results against the JSON Schema in `outputSchema` or `outputSchemas`; if results come
 * one by one, only the last. If a schema is not JSON Schema (Zod), the SDK checks arguments by it, and the tool's
 * `contract` says so. A schema that is made on first use is made now. The tools themselves are not changed, and all
 * their other members are kept.
 * @throws (rejects) InvalidSchemaError for a schema that cannot be used, unless `lenient`, and whatever making a
 *   schema throws
 * @throws (rejects) TypeError for a name in `outputSchemas` that no tool of the set has
 */
export async function withValidation<T extends Readonly<Record<string, AiTool>>>(
  tools: T,
  options: AiToolsOptions = {},
): Promise<{ [Name in keyof T]: T[Name] & Contracted }> {
  requireTools(options.outputSchemas, tools);
  const entries = Object.entries(tools).map(
    async ([name, tool]) => [name, await checkedAiTool(name, tool, options)] as const,
  );
  return Object.fromEntries(await Promise.all(entries)) as {
    [Name in keyof T]: T[Name] & Contracted;
  };
}
