import {
  arrayItems,
  type CompiledSchema,
  encodeUtf8,
  type Issue,
  parseJson,
  scanJson,
} from "@touchstone/core";
import { LEVELS } from "../announcement.ts";
import { batchAnswer, malformedAnswer, singleAnswer } from "../answer.ts";
import type { DeclarationOptions } from "../declaration.ts";
import { type RequestedCall, readRequest } from "../request.ts";
import { type ArgumentLimits, judgeArguments } from "../schema-level.ts";
import { errorFindings, type Findings, type FoundIssue, type LevelNotRun } from "../verdict.ts";

/** What is known of a tool. A gateway's contract has these members. */
export interface KnownContract {
  /** The schema of its arguments; absent if it declares none. */
  readonly input?: CompiledSchema | undefined;
  /** Returns what else would block a call with these arguments; absent if nothing does. */
  readonly forbidden?:
    | ((args: Uint8Array, limits?: ArgumentLimits) => readonly Issue[])
    | undefined;
  /** The text of its output schema; absent if it declares none. */
  readonly outputText?: Uint8Array | undefined;
}

/** Options of a gateway's response. */
export interface AnswerOptions extends DeclarationOptions {
  /** Whether the revision requires `resultType` on every result (2026-07-28 on). */
  readonly modern?: boolean | undefined;
  /** Limits of the arguments of a call. */
  readonly limits?: ArgumentLimits | undefined;
}

const MAX_DEPTH = 256;
const MEMBERS = { arguments: true, parameters: true } as const;

/** Returns the original text of a call's arguments. */
function argumentsText(bytes: Uint8Array, call: RequestedCall): Uint8Array {
  const { members } = scanJson(bytes, { members: MEMBERS });
  const range = members.get(`/${call.member}`);
  return range === undefined ? bytes : bytes.subarray(range.start, range.end);
}

function callTexts(bytes: Uint8Array): readonly Uint8Array[] {
  const calls = scanJson(bytes, { members: { calls: true } }).members.get("/calls");
  if (calls === undefined) return [];
  return [...arrayItems(bytes, calls)].map(({ start, end }) => bytes.subarray(start, end));
}

function outputSchemaOf({ outputText }: KnownContract): unknown {
  if (outputText === undefined) return undefined;
  const parsed = parseJson(outputText, { maxDepth: MAX_DEPTH });
  return parsed.ok ? parsed.value : undefined;
}

function asError({ path, message, rule, keyword }: Issue): FoundIssue {
  const known = keyword === undefined ? {} : { keyword };
  return { level: "syntax", severity: "error", path, message, rule, ...known };
}

function levelsNotRun(call: RequestedCall): readonly LevelNotRun[] {
  const names = new Set<string>([...LEVELS, ...(call.levels ?? [])]);
  names.delete("syntax");
  return [...names].map((level) => ({ level, reason: "not_served" }));
}

/**
 * Answers a call of the validation tool from a gateway's knowledge of the server's tools: the schema level only, with
 * numbers checked by their source text, and the schema of the call's result. Does not ask the server. Never throws.
 * @param args the bytes of `params.arguments`; undefined if the call has none
 * @param contractOf returns what is known of a tool; undefined if the server lists no such tool
 * @returns the JSON text of a `CallToolResult`
 */
export function answerValidate(
  args: Uint8Array | undefined,
  contractOf: (tool: string) => KnownContract | undefined,
  options: AnswerOptions = {},
): string {
  const { method = "validate", maxBatchSize = 0, modern = false, limits } = options;
  const bytes = args ?? new Uint8Array();
  const judge = (call: RequestedCall, text: Uint8Array | undefined): Findings => {
    if (call.tool === method) {
      const message = `${method} is the tool that validates; it cannot validate itself`;
      return errorFindings(message, "protocol");
    }
    const contract = contractOf(call.tool);
    if (contract === undefined) return errorFindings(`Tool not found: ${call.tool}`, "protocol");
    const source =
      text === undefined ? { value: call.arguments } : { text: argumentsText(text, call) };
    const judged = judgeArguments(contract.input, source, limits);
    const args =
      "text" in source ? source.text : encodeUtf8(JSON.stringify(source.value) ?? "null");
    const forbidden = contract.forbidden?.(args, limits) ?? [];
    const found = { ...judged, issues: [...judged.issues, ...forbidden.map(asError)] };
    const outputSchema = outputSchemaOf(contract);
    const left = { levelsNotRun: [...found.levelsNotRun, ...levelsNotRun(call)] };
    return { ...found, ...left, ...(outputSchema === undefined ? {} : { outputSchema }) };
  };
  const answer = () => {
    const parsed = parseJson(bytes, { maxDepth: MAX_DEPTH });
    const request = readRequest(parsed.ok ? parsed.value : undefined, maxBatchSize);
    if (request.kind === "malformed") return malformedAnswer(method, request.message);
    if (request.kind === "single") return singleAnswer(judge(request.call, bytes));
    const texts = callTexts(bytes);
    return batchAnswer(
      request.calls.map((call, i) =>
        typeof call === "string" ? errorFindings(call, "protocol") : judge(call, texts[i]),
      ),
    );
  };
  return JSON.stringify({ ...(modern ? { resultType: "complete" } : {}), ...answer() });
}
