import {
  type Findings,
  MAX_ANSWER_BYTES,
  type ToolVerdict,
  writeVerdict,
} from "./validation-result.ts";

/** A `CallToolResult` (MCP, Tools, Tool Result). */
export type ValidateResult = {
  readonly content: readonly [{ readonly type: "text"; readonly text: string }];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: true;
};

/** Returns a response whose text is the JSON text of its structured content, as MCP requires. */
function structured(
  value: ToolVerdict | { readonly results: readonly ToolVerdict[] },
): ValidateResult {
  return {
    content: [{ type: "text", text: JSON.stringify(value) }],
    structuredContent: { ...value },
  };
}

/** Returns the verdict on one call. */
export function callResponse(findings: Findings): ValidateResult {
  return structured(writeVerdict(findings));
}

/** Returns the verdicts on several calls, in order. Together they may be as long as a response about one call. */
export function batchResponse(findings: readonly Findings[]): ValidateResult {
  const room = Math.floor(MAX_ANSWER_BYTES / Math.max(1, findings.length));
  return structured({ results: findings.map((one) => writeVerdict(one, room)) });
}

/** Returns the response to an invalid request: a tool execution error, which a model can act on. */
export function invalidRequestResponse(method: string, message: string): ValidateResult {
  return { content: [{ type: "text", text: `Cannot ${method}: ${message}.` }], isError: true };
}
