import {
  type Check,
  type CheckLater,
  type CompiledSchema,
  compileOwn,
  type ExpectedValue,
  type Issue,
  type JsonRange,
  messageOf,
  type TextCheckOptions,
} from "@touchstone/core/advanced";
import { QueueFullError } from "@touchstone/core/node";
import { type Frame, type KeyLimits, readFrame } from "@touchstone/protocol/advanced";
import type { ToolContract } from "../contracts/contract.ts";
import type { UnknownSchemaReason } from "../contracts/contract-source.ts";
import type { Era } from "../eras/era.ts";
import type { PolicyDecision } from "../features/decision.ts";
import { emptyCheck, tooManyKeysCheck } from "../features/make-check.ts";
import { decideMissing } from "../features/structured-content/decide.ts";
import { decideUnknownCall } from "../features/unknown-schemas/decide.ts";
import { decideSchemaCheck } from "../policy/decide.ts";
import {
  checkOptions,
  type Direction,
  type InputCheckSettings,
  type OutputCheckSettings,
  type ValidationSettings,
} from "../settings/validation.ts";
import type { Inflight, ToolCall } from "./in-flight.ts";

/** A check and the policy's decision about it. */
export interface DecidedCheck {
  readonly check: Check;
  readonly verdict: PolicyDecision;
  readonly schemaHash: string | undefined;
}

/** The same for a call before it is sent, with the direction of the decisive check. */
export interface DecidedCallCheck extends DecidedCheck {
  readonly direction: Direction;
}

/** The reason in records of a check that was not made because too many others wait. */
const CHECK_QUEUE_FULL = "check queue full";

const OPEN_OBJECT = 0x7b;
const NO_ARGUMENTS = "{}";

/** All unchecked calls share this object, because checks are never modified. */
const SKIPPED: Check = emptyCheck("skipped");

/** A check without a schema. */
export const ALLOWED_UNCHECKED: PolicyDecision = {
  decision: "allowed",
  outcome: "skipped",
  mode: "off",
  record: false,
};

/** Arguments must be an object, whatever the tool's schema says (MCP, Tools, Calling Tools). */
const OBJECT = compileOwn({ type: "object" });

/** A check of something that cannot be checked. */
function unknownCheck({ code, reason }: UnknownSchemaReason): Check {
  const issue: Issue = { path: "", message: reason, rule: "schema", keyword: code };
  return { ...emptyCheck("unknown"), valid: false, errors: [issue], counts: { schema: 1 } };
}

/** A check that was made before its frame is decided, and its schema. */
interface Ahead {
  readonly frame: Frame;
  readonly schema: CompiledSchema;
  readonly check: Check;
}

/** Checks that were made ahead. */
const ahead = new WeakMap<Frame, Ahead>();
/** The last check that was made without waiting. Its frame is decided in the same turn, before any other frame. */
let latest: Ahead | undefined;

/** Returns the check of a value, made ahead or now. */
function checkOf(
  frame: Frame,
  schema: CompiledSchema,
  text: string | Uint8Array,
  settings: InputCheckSettings | OutputCheckSettings,
): Check {
  const made = latest?.frame === frame ? latest : ahead.get(frame);
  if (made?.schema === schema) return made.check;
  return schema.validateText(text, optionsWithin(frame, settings));
}

/** Keeps a check that was made ahead until its frame is decided, if other messages may come in between. */
export function keepCheckMadeAhead(frame: Frame): void {
  if (latest?.frame === frame) ahead.set(frame, latest);
}

/** Returns the failed check of a call's arguments that was made ahead, and keeps it until its frame is decided. */
export function failedCheckMadeAhead(frame: Frame): Check | undefined {
  const made = latest?.frame === frame ? latest : ahead.get(frame);
  if (made?.check.outcome !== "violation") return undefined;
  ahead.set(frame, made);
  return made.check;
}

function optionsWithin(
  { scan: within }: Frame,
  settings: InputCheckSettings | OutputCheckSettings,
): TextCheckOptions {
  // Lists the members explicitly: copying an object and adding a member takes many times as long.
  const { maxBytes, maxDepth } = settings;
  const { rules, undeclared } = checkOptions(settings);
  return { maxBytes, maxDepth, rules, undeclared, within };
}

/** Threads refuse checks in these cases; the client can try again. */
function refusedCheck(error: unknown): Check {
  const message = error instanceof QueueFullError ? CHECK_QUEUE_FULL : messageOf(error);
  const issue: Issue = { path: "", message, rule: "budget", keyword: "budget" };
  return { ...emptyCheck("unknown"), valid: false, errors: [issue], counts: { budget: 1 } };
}

/** Makes a check ahead of its frame; undefined if it exists already. Never rejects. */
function makeAhead(
  frame: Frame,
  schema: CompiledSchema,
  text: Uint8Array,
  settings: InputCheckSettings | OutputCheckSettings,
  later: CheckLater,
): Promise<void> | undefined {
  const made = schema.validateLater(text, later, optionsWithin(frame, settings));
  if (made instanceof Promise) {
    return made
      .catch(refusedCheck)
      .then((check) => void ahead.set(frame, { frame, schema, check }));
  }
  latest = { frame, schema, check: made };
  return undefined;
}

/**
 * Checks a text by a schema that is not the tool's own, on a thread if that takes long. Undefined if there is no need
 * to wait. Never rejects.
 * @param take receives the check, at once or later
 */
export function checkOtherSchema(
  schema: CompiledSchema,
  text: Uint8Array,
  limits: Pick<InputCheckSettings, "maxBytes" | "maxDepth">,
  later: CheckLater,
  take: (check: Check) => void,
): Promise<void> | undefined {
  const { maxBytes, maxDepth } = limits;
  const made = schema.validateLater(text, later, { maxBytes, maxDepth });
  if (made instanceof Promise) return made.catch(refusedCheck).then(take);
  take(made);
  return undefined;
}

/**
 * Checks a call's arguments before the decision about the call, on a thread if that takes long. Undefined if there is
 * no need to wait. Never rejects.
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
  at: ResultPointer,
  later: CheckLater,
): Promise<void> | undefined {
  const schema = outputSchema(call);
  const range = frame.range(`${at}/structuredContent`);
  if (schema === undefined || range === undefined || frame.scan.overKeys !== undefined) return;
  const text = frame.bytes.subarray(range.start, range.end);
  return makeAhead(frame, schema, text, call.settings.output, later);
}

/**
 * Decides about a call before it is sent: by its arguments or, if its tool's schemas are unknown, by the setting for
 * calls that cannot be checked.
 */
export function judgeCall(
  frame: Frame,
  { contract, gap, settings }: Pick<ToolCall, "contract" | "gap" | "settings">,
): DecidedCallCheck {
  if (contract !== undefined || gap === undefined) {
    const { check, verdict, schemaHash } = judgeInput(frame, contract, settings);
    return { check, verdict, schemaHash, direction: "input" };
  }
  const { direction, ...verdict } = decideUnknownCall(settings);
  const check = verdict.outcome === "unknown" ? unknownCheck(gap) : SKIPPED;
  return { check, verdict, direction, schemaHash: undefined };
}

/**
 * Checks a call's arguments by its tool's input schema (MCP 2025-11-25, Tools, `tools/call`). Absent arguments are
 * `{}`. Anything but an object is a type error, whatever the schema says.
 */
export function judgeInput(
  frame: Frame,
  contract: ToolContract | undefined,
  settings: ValidationSettings,
): DecidedCheck {
  const { input } = settings;
  const schema = input.mode === "off" ? undefined : contract?.input;
  const range = frame.range("/params/arguments");
  const check = ((): Check => {
    if (schema === undefined) return SKIPPED;
    if (frame.scan.overKeys !== undefined) return tooManyKeysCheck(frame.scan.overKeys);
    const first = range === undefined ? OPEN_OBJECT : frame.bytes[range.start];
    const text = range === undefined ? NO_ARGUMENTS : frame.bytes.subarray(range.start, range.end);
    if (first !== OPEN_OBJECT) return OBJECT.validateText(text, checkOptions(input));
    return checkOf(frame, schema, text, input);
  })();
  const verdict = decideSchemaCheck(check, input, schema);
  return { check, verdict, schemaHash: contract?.inputHash };
}

/** Where a tool's result is: in a response, in a finished task, or in a notification about a task. */
export type ResultPointer = "/result" | "/result/result" | "/params/result";

/** Returns the schema to check a result's structured content by; undefined if it is not checked. */
function outputSchema({ settings, contract }: ToolCall): CompiledSchema | undefined {
  return settings.output.mode === "off" ? undefined : contract?.output;
}

/**
 * Returns the structured content of a message that a pending call waits for, so that it is checked while the message
 * is read. The outline is read only if the oldest pending request is a call with an output schema.
 */
export function expectedOutput(
  inflight: Inflight,
  bytes: Uint8Array,
  keyLimits: KeyLimits | undefined,
): ExpectedValue | undefined {
  const imageOf = (call: ToolCall | undefined) => call && outputSchema(call)?.image;
  if (imageOf(inflight.oldest?.call) === undefined) return undefined;
  const outline = readFrame(bytes, { outline: true, keyLimits });
  const image = imageOf(inflight.get(outline.idKey ?? "")?.call);
  const range = outline.range("/result/structuredContent");
  return image && range && { start: range.start, image };
}

/**
 * Checks the structured content of a call's result by the contract with which the call began.
 * @param era of the call
 */
export function judgeOutput(
  frame: Frame,
  call: ToolCall,
  era: Era,
  at: ResultPointer,
): DecidedCheck {
  const { output } = call.settings;
  const schemaHash = call.contract?.outputHash;
  const schema = outputSchema(call);
  const isError = frame.range(`${at}/isError`);
  const range = frame.range(`${at}/structuredContent`);
  // Tasks ask for input in another way. A client that reads structured content first treats a message that has both
  // as a result.
  const asksForInput = at === "/result" && range === undefined && era.asksForInput(frame);
  if (isTrue(frame, isError) || asksForInput) {
    return { check: SKIPPED, verdict: decideSchemaCheck(SKIPPED, output), schemaHash };
  }
  if (schema === undefined) return judgeWithoutSchema(call, schemaHash, range !== undefined);
  if (range === undefined) {
    const verdict = decideMissing(output);
    return { check: { ...emptyCheck("missing"), valid: false }, verdict, schemaHash };
  }
  const { overKeys } = frame.scan;
  const content = frame.bytes.subarray(range.start, range.end);
  const check = overKeys ? tooManyKeysCheck(overKeys) : checkOf(frame, schema, content, output);
  return { check, verdict: decideSchemaCheck(check, output, schema), schemaHash };
}

function isTrue(frame: Frame, range: JsonRange | undefined): boolean {
  return range !== undefined && range.end - range.start === 4 && frame.text(range) === "true";
}

/** Decides about a result without a known schema. */
function judgeWithoutSchema(
  { contract, gap, settings: { output } }: ToolCall,
  schemaHash: string | undefined,
  isStructured: boolean,
): DecidedCheck {
  const skipped = { check: SKIPPED, verdict: decideSchemaCheck(SKIPPED, output), schemaHash };
  if (contract !== undefined || gap === undefined || output.mode === "off") return skipped;
  const check = unknownCheck(gap);
  const verdict = decideSchemaCheck(check, output);
  // If the gateway saw the call, it made this decision before sending it, and recorded it.
  if (gap.code !== "unseen") {
    return { check, verdict: { ...verdict, decision: "allowed", record: false }, schemaHash };
  }
  // There is no structured content to check.
  if (!isStructured && output.missingStructuredContent === "allow") return skipped;
  return { check, verdict, schemaHash };
}
