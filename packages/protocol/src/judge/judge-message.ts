import { derivedIssue, type Issue, runSteps } from "@touchstone/core/advanced";
import { batchItems } from "../batch.ts";
import type { Frame } from "../frame.ts";
import { protocolIssue } from "../issue.ts";
import type { Sender } from "../messages/message-table.ts";
import { messagesOf } from "../messages/tables.ts";
import { readFrame, readFrameSteps } from "../read.ts";
import type { Revision } from "../revisions/revision.ts";
import { revisionOf } from "../revisions/revisions.ts";
import { checkPart } from "./apply-schema.ts";
import { splitItemIssues } from "./items.ts";
import {
  type Findings,
  type ItemFaults,
  type MessageCheck,
  messageCheck,
  noFindings,
} from "./message-check.ts";
import { demandsOf } from "./message-parts.ts";
import { nearMethod, nearNames, objectsWithOtherMembers } from "./similar-names.ts";

/** Who sent a message in which revision, and how much of it is judged. */
export interface JudgeOptions {
  /** The revision, or its `protocolVersion`. For an unknown one, only JSON-RPC's rules apply. */
  readonly revision: Revision | string | undefined;
  readonly sender: Sender;
  /**
   * The method of the request that a response belongs to; for a batch, a function that returns it for each response.
   * A response to an unknown request is judged by JSON-RPC's rules alone.
   */
  readonly requestMethod?: string | ((response: Frame) => string | undefined) | undefined;
  /**
   * Whether client and server have agreed on the extension `io.modelcontextprotocol/tasks`: what it has
   * instead of the tasks of 2025-11-25 is then judged by JSON-RPC's rules alone. Default false.
   */
  readonly tasksExtension?: boolean;
  /**
   * How much of a message its schema may examine, in bytes of JSON, whatever the size of the message. The content of
   * strings, structured content, arguments and other values of any shape do not count, nor do repeated items that look
   * the same to the schema. Beyond this limit the message is judged by JSON-RPC's rules alone (`unchecked`). Default
   * 1,048,576.
   */
  readonly maxBytes?: number;
  /** The most issues that are listed. Default 1000. */
  readonly maxIssues?: number;
}

const MAX_BYTES = 1_048_576;
const MAX_ISSUES = 1_000;
/** The most messages in a batch; a larger batch is refused. */
const MAX_BATCH = 1_000;

/** Options for a message of an unknown revision: only JSON-RPC's rules apply. */
const NO_OPTIONS: JudgeOptions = { revision: undefined, sender: "client" };

interface Settings {
  readonly revision: Revision | undefined;
  readonly sender: Sender;
  readonly requestMethod: JudgeOptions["requestMethod"];
  readonly tasksExtension: boolean;
  readonly maxBytes: number;
  readonly maxIssues: number;
}

function limit(value: unknown, fallback: number): number {
  return typeof value === "number" && Number.isInteger(value) && value > 0 ? value : fallback;
}

/** @param options may be missing if the caller is untyped */
function settingsOf(options: JudgeOptions | null | undefined): Settings {
  const {
    revision,
    sender,
    requestMethod,
    tasksExtension = false,
    maxBytes,
    maxIssues,
  } = options ?? NO_OPTIONS;
  return {
    revision: typeof revision === "string" ? revisionOf(revision) : revision,
    sender,
    requestMethod,
    tasksExtension,
    maxBytes: limit(maxBytes, MAX_BYTES),
    maxIssues: limit(maxIssues, MAX_ISSUES),
  };
}

function* judgeOne(
  frame: Frame,
  settings: Settings,
  findings: Findings,
): Generator<void, void, void> {
  const { faults } = frame;
  if (frame.scan.error !== undefined || frame.scan.overKeys !== undefined) {
    findings.issues.push(...faults);
    return;
  }
  const { revision, sender, requestMethod, tasksExtension } = settings;
  const method = typeof requestMethod === "function" ? requestMethod(frame) : requestMethod;
  const { whole, items } = splitItemIssues(frame, faults, method);
  if (whole.length > 0) findings.issues.push(...whole);
  findings.items = items;
  const near = nearMethod(frame);
  if (near.length > 0) findings.issues.push(...near);
  const roomy = objectsWithOtherMembers(frame);
  if (roomy.length > 0) findings.issues.push(...(yield* nearNames(frame, method, roomy)));
  const table = messagesOf(revision?.version);
  if (revision === undefined || table === undefined) return;
  const { issues, part } = demandsOf(frame, { revision, table, sender, tasksExtension }, method);
  if (issues.length > 0) findings.issues.push(...issues);
  if (part !== undefined) yield* checkPart(frame, table, part, settings, findings);
  if (whole.length > 0) findings.issues = toldOnce(findings.issues, whole);
}

/** If JSON-RPC already forbids something at a place, MCP need not report it again. */
function toldOnce(issues: Issue[], byJsonRpc: readonly Issue[]): Issue[] {
  const places = byJsonRpc.filter(({ rule }) => rule === "protocol").map(({ path }) => path);
  return issues.filter((issue, i) => i < byJsonRpc.length || !places.includes(issue.path));
}

function moved(issue: Issue, at: string): Issue {
  const { instancePath } = issue;
  const path = at + issue.path;
  const own = { ...issue, path };
  return derivedIssue(
    instancePath === undefined ? own : { ...own, instancePath: at + instancePath },
    issue,
  );
}

function* judgeBatch(
  frame: Frame,
  settings: Settings,
  findings: Findings,
): Generator<void, void, void> {
  findings.issues.push(...frame.faults);
  if (settings.revision?.batches === false) {
    const message = `a batch of messages; MCP has them in 2025-03-26 only, and this is ${settings.revision.version}`;
    findings.issues.push(protocolIssue("", message, "type"));
    return;
  }
  let count = 0;
  const items: ItemFaults[] = [];
  findings.items = items;
  for (const { start, end } of batchItems(frame)) {
    if (count === MAX_BATCH) {
      const message = `the batch contains more than ${MAX_BATCH} messages`;
      findings.issues.push({ path: "", message, rule: "guard", keyword: "maxBatch" });
      findings.guard = { guard: "maxBatch", limit: MAX_BATCH, actual: MAX_BATCH + 1 };
      return;
    }
    const at = `/${count++}`;
    yield;
    const item = yield* readFrameSteps(frame.bytes.subarray(start, end));
    if (item.kind === "batch") {
      const message = "a batch contains messages, not another batch";
      findings.issues.push(protocolIssue(at, message, "type"));
      continue;
    }
    const own = noFindings();
    yield* judgeOne(item, settings, own);
    findings.issues.push(...own.issues.map((issue) => moved(issue, at)));
    findings.more += own.more;
    findings.unchecked ??= own.unchecked;
    for (const { item: place, path, issues } of own.items) {
      const inside = issues.map((issue) => moved(issue, at));
      items.push({ item: place, path: at + path, issues: inside });
    }
  }
}

function judgeFrame(
  frame: Frame,
  settings: Settings,
  findings: Findings,
): Generator<void, void, void> {
  return (frame.kind === "batch" ? judgeBatch : judgeOne)(frame, settings, findings);
}

function isFrame(message: Uint8Array | Frame): message is Frame {
  return typeof message === "object" && message !== null && "scan" in message;
}

/**
 * Judges one message, or each of a batch, on its bytes: JSON-RPC 2.0 first, then what the revision of MCP says about
 * the method. Methods, notifications, types of results and members that the revision does not define are open.
 * Duplicate keys are issues of rule `duplicate`, if the frame was read with the option to find them; all others are of
 * rule `protocol`, or `guard` if the text is too deep or a batch too long. A result of 2026-07-28 without `resultType`
 * has a warning, since clients must take it as complete. Formats are not asserted, as MCP's own schemas do not.
 *
 * A check that is not over within core's budget leaves the verdict to JSON-RPC's rules and says so
 * (`unchecked`), so that the size of a good message is never held against it. Never throws,
 * as long as `requestMethod` does not: what is neither bytes nor a frame counts as not JSON.
 */
export function judgeMessage(message: Uint8Array | Frame, options: JudgeOptions): MessageCheck {
  // All work runs at once here, so one pass over the text is faster than steps.
  const frame = isFrame(message) ? message : readFrame(message, { duplicates: true });
  const settings = settingsOf(options);
  const findings = noFindings();
  runSteps(judgeFrame(frame, settings, findings));
  return messageCheck(findings, settings.maxIssues);
}

/**
 * Does the same as {@link judgeMessage} in steps of a few milliseconds each, so that the caller can do other things
 * in between.
 */
export function* judgeMessageSteps(
  message: Uint8Array | Frame,
  options: JudgeOptions,
): Generator<void, MessageCheck, void> {
  const frame = isFrame(message) ? message : yield* readFrameSteps(message, { duplicates: true });
  const settings = settingsOf(options);
  const findings = noFindings();
  yield* judgeFrame(frame, settings, findings);
  return messageCheck(findings, settings.maxIssues);
}
