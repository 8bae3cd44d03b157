import {
  type Check,
  type CheckLater,
  type CompiledSchema,
  compileOwn,
  type Issue,
  messageOf,
  type TextCheckOptions,
} from "@touchstone/core";
import { QueueFullError } from "@touchstone/core/node";
import type { Frame, FrameScan } from "@touchstone/protocol";
import type { ToolContract } from "../contracts/contract.ts";
import type { SchemaGap } from "../contracts/source.ts";
import type { Era } from "../eras/era.ts";
import {
  decideMissing,
  decideSchemaCheck,
  decideUnknownCall,
  type Verdict,
} from "../policy/decide.ts";
import {
  checkOptions,
  type Direction,
  type InputCheckSettings,
  type OutputCheckSettings,
  type ValidationSettings,
} from "../policy/settings.ts";
import type { ToolCall } from "./in-flight.ts";

type OverKeys = NonNullable<FrameScan["overKeys"]>;

/** A check together with what the policy makes of it. */
export interface Judgement {
  readonly check: Check;
  readonly verdict: Verdict;
  readonly schemaHash: string | undefined;
}

/** The same of a call that is to be sent, and the direction that decides about it. */
export interface CallJudgement extends Judgement {
  readonly direction: Direction;
}

/** The reason in records of a check that was not made because too many others wait. */
const CHECK_QUEUE_FULL = "check queue full";

const OPEN_OBJECT = 0x7b;
const NO_ARGUMENTS = "{}";

function emptyCheck(outcome: Check["outcome"]): Check {
  return { outcome, valid: true, errors: [], warnings: [], suggestions: [], counts: {} };
}

/** Of each call of which nothing is checked: nobody changes a check. */
const SKIPPED: Check = emptyCheck("skipped");

/** About what no schema is applied to. */
export const UNCHECKED: Verdict = {
  decision: "allowed",
  outcome: "skipped",
  mode: "off",
  record: false,
};

/** The check of a part of a message with which one thing is wrong. */
export function issueCheck(issue: Issue): Check {
  const counts = { [issue.rule]: 1 };
  return { ...emptyCheck("violation"), valid: false, errors: [issue], counts };
}

/** The check of a part of a message that has more keys than messages may have: nothing of it is looked at. */
export function overKeysCheck({ limit, message }: OverKeys): Check {
  const issue: Issue = { path: "", message, rule: "guard", keyword: "maxKeys" };
  return {
    ...emptyCheck("guard"),
    valid: false,
    errors: [issue],
    counts: { guard: 1 },
    guard: { guard: "maxKeys", limit, actual: limit + 1 },
  };
}

/** Arguments are an object, whatever the tool's schema says (MCP, Tools, Calling Tools). */
const OBJECT = compileOwn({ type: "object" });

/** The check of what cannot be checked. */
function unknownCheck({ code, reason }: SchemaGap): Check {
  const issue: Issue = { path: "", message: reason, rule: "schema", keyword: code };
  return { ...emptyCheck("unknown"), valid: false, errors: [issue], counts: { schema: 1 } };
}

/** A check that was made before its frame is judged, and the schema of it. */
interface Ahead {
  readonly frame: Frame;
  readonly schema: CompiledSchema;
  readonly check: Check;
}

/** Checks that were waited for. */
const ahead = new WeakMap<Frame, Ahead>();
/** The last check that was made at once: its frame goes on in the same turn, before any other. */
let latest: Ahead | undefined;

/** The check of a value, made ahead or now. */
function checkOf(
  frame: Frame,
  schema: CompiledSchema,
  text: string | Uint8Array,
  settings: InputCheckSettings | OutputCheckSettings,
): Check {
  const made = latest?.frame === frame ? latest : ahead.get(frame);
  if (made?.schema === schema) return made.check;
  return schema.check(text, optionsWithin(frame, settings));
}

function optionsWithin(
  { scan: within }: Frame,
  settings: InputCheckSettings | OutputCheckSettings,
): TextCheckOptions {
  // Each written out: a copy that gets a member more takes many times as long.
  const { maxBytes, maxDepth } = settings;
  const { rules, undeclared } = checkOptions(settings);
  return { maxBytes, maxDepth, rules, undeclared, within };
}

/** What no thread takes: it can be tried again. */
function refusedCheck(error: unknown): Check {
  const message = error instanceof QueueFullError ? CHECK_QUEUE_FULL : messageOf(error);
  const issue: Issue = { path: "", message, rule: "budget", keyword: "budget" };
  return { ...emptyCheck("unknown"), valid: false, errors: [issue], counts: { budget: 1 } };
}

/** Makes a check ahead of its frame; undefined if it is made already. Never rejects. */
function makeAhead(
  frame: Frame,
  schema: CompiledSchema,
  text: Uint8Array,
  settings: InputCheckSettings | OutputCheckSettings,
  later: CheckLater,
): Promise<void> | undefined {
  const made = schema.checkLater(text, later, optionsWithin(frame, settings));
  if (made instanceof Promise) {
    return made
      .catch(refusedCheck)
      .then((check) => void ahead.set(frame, { frame, schema, check }));
  }
  latest = { frame, schema, check: made };
  return undefined;
}

/**
 * Checks a text by a schema that is not the tool's own; on a thread if that takes long. Undefined if there is nothing to
 * wait for. Never rejects.
 * @param take gets the check, at once or once it is made
 */
export function checkApart(
  schema: CompiledSchema,
  text: Uint8Array,
  limits: Pick<InputCheckSettings, "maxBytes" | "maxDepth">,
  later: CheckLater,
  take: (check: Check) => void,
): Promise<void> | undefined {
  const { maxBytes, maxDepth } = limits;
  const made = schema.checkLater(text, later, { maxBytes, maxDepth });
  if (made instanceof Promise) return made.catch(refusedCheck).then(take);
  take(made);
  return undefined;
}

/**
 * Makes the check of a call's arguments before the call is judged, if that takes long: on a thread.
 * Undefined if there is nothing to wait for. Never rejects.
 */
export function checkInputAhead(
  frame: Frame,
  contract: ToolContract | undefined,
  { input }: ValidationSettings,
  later: CheckLater,
): Promise<void> | undefined {
  const schema = input.mode === "off" ? undefined : contract?.input;
  const range = frame.range("/params/arguments");
  if (schema === undefined || range === undefined || frame.scan.overKeys !== undefined) return;
  if (frame.bytes[range.start] !== OPEN_OBJECT) return;
  const text = frame.bytes.subarray(range.start, range.end);
  return makeAhead(frame, schema, text, input, later);
}

/** {@link checkInputAhead} for the structured content of a call's result. */
export function checkOutputAhead(
  frame: Frame,
  call: ToolCall,
  at: ResultAt,
  later: CheckLater,
): Promise<void> | undefined {
  const schema = outputSchema(call);
  const range = frame.range(`${at}/structuredContent`);
  if (schema === undefined || range === undefined || frame.scan.overKeys !== undefined) return;
  const text = frame.bytes.subarray(range.start, range.end);
  return makeAhead(frame, schema, text, call.settings.output, later);
}

/**
 * Judges a call before it is sent: its arguments, or whether it may go on if its tool's schemas are not known, and
 * with them neither its arguments nor its result can be checked.
 */
export function judgeCall(
  frame: Frame,
  { contract, gap, settings }: Pick<ToolCall, "contract" | "gap" | "settings">,
): CallJudgement {
  if (contract !== undefined || gap === undefined) {
    const { check, verdict, schemaHash } = judgeInput(frame, contract, settings);
    return { check, verdict, schemaHash, direction: "input" };
  }
  const { direction, ...verdict } = decideUnknownCall(settings);
  const check = verdict.outcome === "unknown" ? unknownCheck(gap) : SKIPPED;
  return { check, verdict, direction, schemaHash: undefined };
}

/**
 * Judges a call's arguments by its tool's input schema (MCP 2025-11-25, Tools, `tools/call`).
 * Absent arguments are `{}`; anything but an object is a type error whatever the schema says.
 */
export function judgeInput(
  frame: Frame,
  contract: ToolContract | undefined,
  settings: ValidationSettings,
): Judgement {
  const { input } = settings;
  const schema = input.mode === "off" ? undefined : contract?.input;
  const range = frame.range("/params/arguments");
  const check = ((): Check => {
    if (schema === undefined) return SKIPPED;
    if (frame.scan.overKeys !== undefined) return overKeysCheck(frame.scan.overKeys);
    const first = range === undefined ? OPEN_OBJECT : frame.bytes[range.start];
    const text = range === undefined ? NO_ARGUMENTS : frame.bytes.subarray(range.start, range.end);
    if (first !== OPEN_OBJECT) return OBJECT.check(text, checkOptions(input));
    return checkOf(frame, schema, text, input);
  })();
  return { check, verdict: decideSchemaCheck(check, input), schemaHash: contract?.inputHash };
}

/** Where a tool's result stands: as an answer's, inside that of a finished task, or in what a server tells of one. */
export type ResultAt = "/result" | "/result/result" | "/params/result";

/** The schema that the structured content of a call's result is judged by; undefined where it is not. */
function outputSchema({ settings, contract }: ToolCall): CompiledSchema | undefined {
  return settings.output.mode === "off" ? undefined : contract?.output;
}

/**
 * Judges the structured content of a call's result by the contract that the call began with.
 * @param era of the call
 */
export function judgeOutput(frame: Frame, call: ToolCall, era: Era, at: ResultAt): Judgement {
  const { output } = call.settings;
  const schemaHash = call.contract?.outputHash;
  const schema = outputSchema(call);
  const text = (member: string): string | undefined => {
    const range = frame.range(`${at}/${member}`);
    return range && frame.text(range);
  };
  const range = frame.range(`${at}/structuredContent`);
  // A task asks for input in another way.
  // What carries structured content as well is a result to whoever reads that first.
  const asksForInput = at === "/result" && range === undefined && era.asksForInput(frame);
  if (text("isError") === "true" || asksForInput) {
    return { check: SKIPPED, verdict: decideSchemaCheck(SKIPPED, output), schemaHash };
  }
  if (schema === undefined) return judgeWithoutSchema(call, schemaHash, range !== undefined);
  if (range === undefined) {
    const verdict = decideMissing(output);
    return { check: { ...emptyCheck("missing"), valid: false }, verdict, schemaHash };
  }
  const { overKeys } = frame.scan;
  const content = frame.bytes.subarray(range.start, range.end);
  const check = overKeys ? overKeysCheck(overKeys) : checkOf(frame, schema, content, output);
  return { check, verdict: decideSchemaCheck(check, output), schemaHash };
}

/** Judges a result if there is no schema for it, or none that is known. */
function judgeWithoutSchema(
  { contract, gap, settings: { output } }: ToolCall,
  schemaHash: string | undefined,
  isStructured: boolean,
): Judgement {
  const skipped = { check: SKIPPED, verdict: decideSchemaCheck(SKIPPED, output), schemaHash };
  if (contract !== undefined || gap === undefined || output.mode === "off") return skipped;
  const check = unknownCheck(gap);
  const verdict = decideSchemaCheck(check, output);
  // A call that the gateway has seen was decided about as a whole before it was sent, and has its record.
  if (gap.code !== "unseen") {
    return { check, verdict: { ...verdict, decision: "allowed", record: false }, schemaHash };
  }
  // Without structured content there is nothing that a schema could be applied to.
  if (!isStructured && output.missingStructuredContent === "allow") return skipped;
  return { check, verdict, schemaHash };
}
