import { requireSchema } from "../contract/arguments.ts";
import { Contract } from "../contract/contract.ts";
import { ToolInputError, ToolOutputError } from "../contract/errors.ts";
import type { ContractOptions } from "../contract/options.ts";

/** What a tool guardrail of the OpenAI Agents SDK decides. */
export interface GuardrailDecision {
  readonly behavior:
    | { readonly type: "allow" }
    | { readonly type: "rejectContent"; readonly message: string };
  readonly outputInfo?: unknown;
}

type Call = { readonly toolCall: { readonly arguments: string } };

/** A tool input guardrail: an item of a function tool's `inputGuardrails`. */
export interface InputGuardrail {
  readonly type: "tool_input";
  readonly name: string;
  readonly run: (data: Call) => Promise<GuardrailDecision>;
}

/** A tool output guardrail: an item of a function tool's `outputGuardrails`. */
export interface OutputGuardrail {
  readonly type: "tool_output";
  readonly name: string;
  readonly run: (data: Call & { readonly output: unknown }) => Promise<GuardrailDecision>;
}

/** Options of a guardrail. It changes nothing, so there is neither repair nor raw input. */
export interface GuardrailOptions extends Omit<ContractOptions, "repair" | "onRepair" | "raw"> {
  /** The tool's name in messages. Default `tool`. */
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
 * Returns a guardrail that rejects calls whose arguments, by their JSON text, break a JSON Schema; the runner
 * then does not call the tool, and the model gets the reason. It checks what the model wrote: for a
 * tool in strict mode give it the tool's `parameters` as the SDK made them (null for what is absent).
 * @throws InvalidSchemaError for a schema that cannot be used, or is not there, unless `lenient`
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
 * Returns a guardrail that keeps results that break a JSON Schema from the model, which is told so.
 * @throws InvalidSchemaError for a schema that cannot be used, or is not there, unless `lenient`
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
