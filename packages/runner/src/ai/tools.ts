import { asObjectSchema } from "../contract/arguments.ts";
import { Contract, isThenable } from "../contract/contract.ts";
import { JudgedArguments } from "../contract/judged-arguments.ts";
import type { ContractOptions, ToolContract } from "../contract/options.ts";
import { keeping } from "../kept.ts";
import { requireTools } from "./output-schemas.ts";
import { type AiSdk, validation } from "./schema.ts";

/** A tool of the AI SDK, by the members that are used here. */
export interface AiTool {
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  readonly execute?: unknown;
}

/** A tool that tells what is checked of it. */
export interface Contracted {
  readonly contract: ToolContract;
}

/** Options of a set of tools of the AI SDK. */
export type AiToolsOptions = ContractOptions &
  Pick<AiSdk<unknown>, "TypeValidationError"> & {
    /** JSON Schemas of results, by the tool's name, for tools that declare none. A name that none has is a TypeError. */
    readonly outputSchemas?: Readonly<Record<string, unknown>>;
  };

interface SdkSchema {
  readonly jsonSchema: unknown;
  readonly validate?: ((value: unknown) => unknown) | undefined;
}

function isSdkSchema(value: unknown): value is SdkSchema {
  return typeof value === "object" && value !== null && "jsonSchema" in value;
}

/** The SDK makes a schema when it first needs it, where a function that is none by itself stands for it. */
function madeSchema(given: unknown): unknown {
  return typeof given === "function" && !("~standard" in given) ? given() : given;
}

function isValidated(value: unknown): value is { success: unknown; value?: unknown } {
  return typeof value === "object" && value !== null && "success" in value;
}

/** What the SDK calls of a tool; `execute` if it is not guarded. */
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
  // Those before it are preliminary.
  contract.acceptResult(last);
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

function checkedExecute(
  tool: AiTool,
  contract: Contract,
  judged: JudgedArguments,
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
  const judged = new JudgedArguments(contract);
  const execute = checkedExecute(tool, contract, judged);
  if (!isSdkSchema(inputSchema)) {
    const isTheirs = inputSchema !== undefined && inputSchema !== null;
    const told = isTheirs
      ? ({ checked: false, reason: "sdk", faults: [] } as const)
      : contract.info.input;
    return keeping(tool, { ...execute, contract: { ...contract.info, input: told } }, HOOKS);
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
  return keeping(tool, { ...execute, inputSchema: checked, contract: contract.info }, HOOKS);
}

/**
 * Checks a set of tools that exists already: those that `@ai-sdk/mcp` made of a server's list, or
 * any whose `inputSchema` came from `jsonSchema`. Arguments are checked by it, also where `execute` is
 * called with others than the SDK has validated (a call that was approved in another request, say, or
 * changed since); then it throws a `ToolInputError`. Results are checked by the JSON
 * Schema in `outputSchema` or `outputSchemas`; of results that come one by one, the last. A schema that
 * is not JSON Schema (Zod) is left to the SDK, which checks arguments by it, and the tool's `contract` says so; one that is to be made when it
 * is first needed is made now. The tools themselves are not changed, and every other member of theirs is kept.
 * @throws (rejects) InvalidSchemaError for a schema that cannot be used, unless `lenient`, and what making
 *   one throws
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
