import { requireSchema } from "../contract/arguments.ts";
import { Contract } from "../contract/contract.ts";
import { ToolInputError, ToolOutputError } from "../contract/errors.ts";
import type { ContractOptions } from "../contract/options.ts";

/** The decision of an OpenAI Agents SDK tool guardrail. */
export interface GuardrailDecision {
  readonly behavior:
    | { readonly type: "allow" }
    | { readonly type: "rejectContent"; readonly message: string };
  readonly outputInfo?: unknown;
}

type Call = { readonly toolCall: { readonly arguments: string } };

/** A tool input guardrail: an entry in a function tool's `inputGuardrails`. */
export interface InputGuardrail {
  readonly type: "tool_input";
  readonly name: string;
  readonly run: (data: Call) => Promise<GuardrailDecision>;
}

/** A tool output guardrail: an entry in a function tool's `outputGuardrails`. */
export interface OutputGuardrail {
  readonly type: "tool_output";
  readonly name: string;
  readonly run: (data: Call & { readonly output: unknown }) => Promise<GuardrailDecision>;
}

/** Options of a guardrail. A guardrail changes nothing, so it has no options for repair or raw input. */
export interface GuardrailOptions extends Omit<ContractOptions, "repair" | "onRepair" | "raw"> {
  /** The tool name used in messages. Default `tool`. */
  readonly name?: string;
}

function decide(judge: () => unknown): GuardrailDecision {
  try {
    judge();
    return { behavior: { type: "allow" } };
  } catch (error) {
    const isOurs = error instanceof ToolInputError || error instanceof ToolOutputError;
    if (!isOurs) throw error;
    const { message, check } = error;
    return { behavior: { type: "rejectContent", message }, outputInfo: { errors: check.errors } };
  }
}

/**
 * Returns a guardrail that rejects calls whose arguments, as JSON text, break a JSON Schema. The runner then does not
 * call the tool, and the model gets the reason. The guardrail checks what the model wrote: for a tool in strict mode,
 * pass the tool's `parameters` as the SDK made them (null for absent properties).
 * @throws InvalidSchemaError for a schema that cannot be used, or is missing, unless `lenient`
 */
export function inputGuardrail(schema: unknown, options: GuardrailOptions = {}): InputGuardrail {
  requireSchema(schema, "input", options);
  const contract = new Contract({ tool: options.name ?? "tool", input: schema }, options);
  return {
    type: "tool_input",
    name: "touchstone_input",
    run: async ({ toolCall }) => decide(() => contract.acceptText(toolCall.arguments)),
  };
}

/**
 * Returns a guardrail that withholds results that break a JSON Schema from the model, and tells the model so.
 * @throws InvalidSchemaError for a schema that cannot be used, or is missing, unless `lenient`
 */
export function outputGuardrail(schema: unknown, options: GuardrailOptions = {}): OutputGuardrail {
  requireSchema(schema, "output", options);
  const contract = new Contract({ tool: options.name ?? "tool", output: schema }, options);
  return {
    type: "tool_output",
    name: "touchstone_output",
    run: async ({ output }) => decide(() => contract.acceptResult(output)),
  };
}
