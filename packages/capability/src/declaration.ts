import { LEVELS } from "./announcement.ts";

/** What the declaration of the validation tool depends on. */
export interface DeclarationOptions {
  /** The tool's name. Default `validate`. */
  readonly method?: string | undefined;
  /** Most calls in one batch; 0 for no batches. Default 0. */
  readonly maxBatchSize?: number | undefined;
}

/** A tool in `tools/list` (MCP 2025-06-18 and later, Tools, Data Types). */
export interface ValidateTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: { readonly type: "object"; readonly [keyword: string]: unknown };
  readonly outputSchema: { readonly type: "object"; readonly [keyword: string]: unknown };
  readonly annotations: {
    readonly readOnlyHint: true;
    readonly destructiveHint: false;
    readonly idempotentHint: true;
  };
}

const strings = (description: string) => ({
  type: "array",
  items: { type: "string" },
  description,
});

const CALL = {
  tool: { type: "string", description: "Name of the tool, without the name of its server." },
  arguments: { type: "object", description: "The arguments that the tool would be called with." },
  levels: {
    type: "array",
    items: { type: "string" },
    maxItems: 10,
    description: `How deep to check: ${LEVELS.join(", ")}. All that are served, if left out; syntax always runs.`,
  },
};

const VERDICT = {
  valid: { type: "boolean" },
  decision: {
    type: "string",
    enum: ["allowed", "warning", "repaired", "blocked"],
    description: "What the gateway in front of the server would do with the call.",
  },
  repairs: { type: "string", description: "How the gateway would repair the arguments." },
  errors: strings("Why the call would fail."),
  warnings: strings("Problems that would not make the call fail."),
  suggestions: strings("What would help."),
  issues: {
    type: "array",
    items: {
      type: "object",
      properties: {
        level: { type: "string", enum: [...LEVELS] },
        severity: { type: "string", enum: ["error", "warning"] },
        path: { type: "string", description: "JSON Pointer (RFC 6901) into the arguments." },
        message: { type: "string" },
        rule: { type: "string" },
        keyword: { type: "string" },
      },
      required: ["level", "severity", "path", "message"],
    },
  },
  levelsNotRun: {
    type: "array",
    items: {
      type: "object",
      properties: { level: { type: "string" }, reason: { type: "string" } },
      required: ["level", "reason"],
    },
  },
  truncated: { type: "integer", minimum: 1 },
  outputSchema: { description: "The schema of the structured result of the call." },
};
const VERDICT_REQUIRED = ["valid", "errors", "warnings", "suggestions"];

/**
 * Returns the declaration of the validation tool. Its input schema has no `anyOf` at the root, because some model
 * providers refuse that: with batches, its description says that either `tool` and `arguments` or `calls` is
 * required, and the tool checks it.
 */
export function validateToolDeclaration(options: DeclarationOptions = {}): ValidateTool {
  const { method = "validate", maxBatchSize = 0 } = options;
  const single = { type: "object", properties: CALL, required: ["tool", "arguments"] } as const;
  const verdict = { type: "object", properties: VERDICT, required: VERDICT_REQUIRED } as const;
  const batch = maxBatchSize > 0;
  const calls = {
    type: "array",
    items: single,
    maxItems: maxBatchSize,
    description: "Several calls to validate, instead of tool and arguments.",
  };
  const { description } = CALL.levels;
  const levels = { ...CALL.levels, description: `${description} Applies to calls that name none.` };
  const results = { type: "array", items: verdict };
  return {
    name: method,
    title: "Validate a tool call",
    description: `Checks the arguments of a tool call without running the tool. Send "tool" and "arguments"${
      batch ? ' of one call, or "calls" for several' : ""
    }.`,
    inputSchema: batch ? { type: "object", properties: { ...CALL, levels, calls } } : single,
    outputSchema: batch
      ? {
          type: "object",
          properties: { ...VERDICT, results },
          anyOf: [{ required: VERDICT_REQUIRED }, { required: ["results"] }],
        }
      : verdict,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  };
}
