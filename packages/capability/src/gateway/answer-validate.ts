import {
  arrayItems,
  type Check,
  isObject,
  isUnchecked,
  type JsonRange,
  parseJson,
  scanJson,
} from "@touchstone/core/advanced";
import { LEVELS } from "../announcement.ts";
import { batchResponse, callResponse, invalidRequestResponse } from "../answer.ts";
import type { DeclarationOptions } from "../declaration.ts";
import { type RequestedCall, readRequest } from "../request.ts";
import { SYNTAX_NOT_RUN } from "../schema-level.ts";
import {
  type CallDecision,
  errorFindings,
  type Findings,
  findingsOfCheck,
  type LevelNotRun,
} from "../validation-result.ts";

/** What a gateway decides about a call. */
export interface DecidedCall {
  /** `blocked`: it would not be sent. `repaired`: it would be sent with other arguments. */
  readonly decision: CallDecision;
  /** The issues as the gateway's settings treat them: `valid` is false exactly if there are errors. */
  readonly check: Check;
  /** How the arguments would be repaired, in one line. */
  readonly repairs?: string | undefined;
  /** The text of the tool's output schema; absent if it declares none. */
  readonly outputText?: Uint8Array | undefined;
}

/** Decides about a call by a tool's name and the text of its arguments. Resolves to undefined if there is no such tool. */
export type DecideCall = (tool: string, args: Uint8Array) => Promise<DecidedCall | undefined>;

/** Options of a gateway's response. */
export interface AnswerOptions extends DeclarationOptions {
  /** Whether the revision requires `resultType` on every result (2026-07-28 on). */
  readonly modern?: boolean | undefined;
}

const MAX_DEPTH = 256;
/** Output schemas and names with a longer text are not read: a response has no room for such a schema. */
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
  /** The value for {@link readRequest}, with empty objects instead of the arguments. */
  readonly value: unknown;
  readonly text: Uint8Array;
  /** The ranges of its members in the text, by their pointers. */
  readonly members: ReadonlyMap<string, JsonRange>;
  readonly calls: readonly Outline[];
}

/** Returns the outline of a value that has no members to read. */
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

/** Returns whether a value may be a schema: an object or a boolean. */
function isSchema(value: unknown): boolean {
  return isObject(value) || typeof value === "boolean";
}

function levelsNotRun(call: RequestedCall): readonly LevelNotRun[] {
  const names = new Set<string>([...LEVELS, ...(call.levels ?? [])]);
  names.delete("syntax");
  return [...names].map((level) => ({ level, reason: "not_served" }));
}

/**
 * Answers a call of the validation tool with a gateway's own decisions: the schema level only, with numbers checked by
 * their source text, and the schema of the call's result. Does not ask the server. Rejects only if `decide` does.
 * @param args the bytes of `params.arguments`; undefined if the call has none
 * @returns the JSON text of a `CallToolResult`
 */
export async function answerValidate(
  args: Uint8Array | undefined,
  decide: DecideCall,
  options: AnswerOptions = {},
): Promise<string> {
  const { method = "validate", maxBatchSize = 0, modern = false } = options;
  const judge = async (call: RequestedCall, whole: Outline): Promise<Findings> => {
    if (call.tool === method) {
      const message = `${method} is the tool that validates; it cannot validate itself`;
      return errorFindings(message, "protocol");
    }
    const decided = await decide(call.tool, argumentsText(whole, call));
    if (decided === undefined) return errorFindings(`Tool not found: ${call.tool}`, "protocol");
    const { check, decision, repairs, outputText } = decided;
    const found = findingsOfCheck(check);
    const outputSchema = outputText && smallValue(outputText);
    return {
      ...found,
      decision,
      ...(repairs === undefined ? {} : { repairs }),
      levelsNotRun: [...(isUnchecked(check) ? SYNTAX_NOT_RUN : []), ...levelsNotRun(call)],
      ...(isSchema(outputSchema) ? { outputSchema } : {}),
    };
  };
  const answer = async () => {
    const outline = outlineOf(args ?? new Uint8Array(), maxBatchSize + 1);
    const request = readRequest(outline?.value, maxBatchSize);
    if (request.kind === "malformed") return invalidRequestResponse(method, request.message);
    const whole = outline as Outline;
    if (request.kind === "single") return callResponse(await judge(request.call, whole));
    const findings: Findings[] = [];
    for (const [at, call] of request.calls.entries()) {
      const found =
        typeof call === "string"
          ? errorFindings(call, "protocol")
          : await judge(call, whole.calls[at] as Outline);
      findings.push(found);
    }
    return batchResponse(findings);
  };
  return JSON.stringify({ ...(modern ? { resultType: "complete" } : {}), ...(await answer()) });
}
