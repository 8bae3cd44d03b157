import {
  arrayItems,
  type CheckLater,
  type CompiledSchema,
  type Issue,
  type JsonRange,
  parseJson,
  scanJson,
} from "@touchstone/core";
import { LEVELS } from "../announcement.ts";
import { batchAnswer, malformedAnswer, singleAnswer } from "../answer.ts";
import type { DeclarationOptions } from "../declaration.ts";
import { type RequestedCall, readRequest } from "../request.ts";
import { type ArgumentLimits, judgeText } from "../schema-level.ts";
import { errorFindings, type Findings, type FoundIssue, type LevelNotRun } from "../verdict.ts";

/** What is known of a tool. A gateway's contract has these members. */
export interface KnownContract {
  /** The schema of its arguments; absent if it declares none. */
  readonly input?: CompiledSchema | undefined;
  /** Resolves to what else would block a call with these arguments; absent if nothing does. Never rejects. */
  readonly forbidden?:
    | ((args: Uint8Array, limits?: ArgumentLimits) => Promise<readonly Issue[]>)
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
  /** Makes checks that take more than a few milliseconds. Without it, they are made at once. */
  readonly later?: CheckLater | undefined;
}

const MAX_DEPTH = 256;
/** Longer texts of small things are not read: a response has no room for such an output schema. */
const MAX_SMALL = 65_536;
const QUOTE = 0x22;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const MEMBERS = {
  tool: true,
  levels: true,
  arguments: true,
  parameters: true,
  calls: true,
} as const;

/** A request, and the original texts of its calls. Arguments may be megabytes, so they are not parsed. */
interface Outline {
  /** As {@link readRequest} takes it, with empty objects for arguments. */
  readonly value: unknown;
  readonly text: Uint8Array;
  /** Where its members are in the text, by their pointers. */
  readonly members: ReadonlyMap<string, JsonRange>;
  readonly calls: readonly Outline[];
}

/** What has no members to read. */
function closed(text: Uint8Array): Outline {
  return { value: null, text, members: new Map(), calls: [] };
}

/** @param mostCalls how many calls to read; further ones are left out */
function outlineOf(text: Uint8Array, mostCalls: number): Outline | undefined {
  const scan = scanJson(text, { members: MEMBERS, maxDepth: MAX_DEPTH });
  if (scan.error !== undefined) return undefined;
  if (text[scan.root.start] !== OPEN_BRACE) return closed(text);
  const value: Record<string, unknown> = {};
  let calls: readonly Outline[] = [];
  for (const [pointer, { start, end }] of scan.members) {
    const name = pointer.slice(1);
    const member = text.subarray(start, end);
    if (name === "calls") {
      calls = member[0] === OPEN_BRACKET ? callsIn(member, mostCalls) : [];
      value[name] = member[0] === OPEN_BRACKET ? calls.map((call) => call.value) : null;
    } else if (name === "tool") value[name] = member[0] === QUOTE ? smallValue(member) : null;
    else value[name] = name === "levels" ? smallValue(member) : {};
  }
  return { value, text, members: scan.members, calls };
}

function callsIn(list: Uint8Array, most: number): readonly Outline[] {
  const found: Outline[] = [];
  for (const { start, end } of arrayItems(list, { start: 0, end: list.length })) {
    if (found.length >= most) break;
    const text = list.subarray(start, end);
    found.push(outlineOf(text, 0) ?? closed(text));
  }
  return found;
}

/** Returns the value of a text; null if it is too long, or not JSON. */
function smallValue(text: Uint8Array): unknown {
  const parsed = text.length > MAX_SMALL ? undefined : parseJson(text, { maxDepth: MAX_DEPTH });
  return parsed?.ok === true ? parsed.value : null;
}

/** Returns the original text of a call's arguments. */
function argumentsText({ text, members }: Outline, { member }: RequestedCall): Uint8Array {
  const range = members.get(`/${member}`);
  return range === undefined ? text : text.subarray(range.start, range.end);
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
 * numbers checked by their source text, and the schema of the call's result. Does not ask the server. Never rejects.
 * @param args the bytes of `params.arguments`; undefined if the call has none
 * @param contractOf returns what is known of a tool; undefined if the server lists no such tool
 * @returns the JSON text of a `CallToolResult`
 */
export async function answerValidate(
  args: Uint8Array | undefined,
  contractOf: (tool: string) => KnownContract | undefined,
  options: AnswerOptions = {},
): Promise<string> {
  const { method = "validate", maxBatchSize = 0, modern = false, limits, later } = options;
  const judge = async (call: RequestedCall, whole: Outline): Promise<Findings> => {
    if (call.tool === method) {
      const message = `${method} is the tool that validates; it cannot validate itself`;
      return errorFindings(message, "protocol");
    }
    const contract = contractOf(call.tool);
    if (contract === undefined) return errorFindings(`Tool not found: ${call.tool}`, "protocol");
    const { input, forbidden, outputText } = contract;
    const text = argumentsText(whole, call);
    const found = await judgeText(input, text, limits, later);
    const issues = (await forbidden?.(text, limits)) ?? [];
    const outputSchema = outputText && smallValue(outputText);
    return {
      ...found,
      issues: [...found.issues, ...issues.map(asError)],
      levelsNotRun: [...found.levelsNotRun, ...levelsNotRun(call)],
      ...(outputSchema === undefined || outputSchema === null ? {} : { outputSchema }),
    };
  };
  const answer = async () => {
    const outline = outlineOf(args ?? new Uint8Array(), maxBatchSize + 1);
    const request = readRequest(outline?.value, maxBatchSize);
    if (request.kind === "malformed") return malformedAnswer(method, request.message);
    const whole = outline as Outline;
    if (request.kind === "single") return singleAnswer(await judge(request.call, whole));
    const findings: Findings[] = [];
    for (const [at, call] of request.calls.entries()) {
      const found =
        typeof call === "string"
          ? errorFindings(call, "protocol")
          : await judge(call, whole.calls[at] as Outline);
      findings.push(found);
    }
    return batchAnswer(findings);
  };
  return JSON.stringify({ ...(modern ? { resultType: "complete" } : {}), ...(await answer()) });
}
