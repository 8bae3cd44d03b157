import type { Issue } from "@touchstone/core";
import {
  type Frame,
  type FrameScan,
  idKey,
  isListResult,
  isMethodDefined,
  type JudgeOptions,
  judgeMessage,
  judgeMessageSteps,
  type MessageCheck,
} from "@touchstone/protocol/advanced";
import type { LearnedPage } from "../contracts/contract-source.ts";
import type { TransportFault } from "../features/call-step.ts";
import type { PolicyDecision } from "../features/decision.ts";
import { summarizeIssues } from "../features/text.ts";
import { decideProtocol, isHeavier } from "../policy/decide.ts";
import type { ProtocolCheckSettings } from "../settings/validation.ts";
import type { PendingRequest } from "./in-flight.ts";

/**
 * Returns a message's faults in one line.
 * @param more how many further faults there are
 */
export function describeFaults(faults: readonly Issue[], more: number = 0): string {
  return summarizeIssues({ errors: faults, truncated: more }, "the message");
}

const QUOTE = 0x22;

/** A protocol fault of a message. */
export function protocolFault(path: string, message: string): Issue {
  return { path, message, rule: "protocol" };
}

/** What is wrong with the line of the stream that a message was on. */
export interface LineFault {
  readonly issue: Issue;
  /** The line also has text that is not a message, so what looks like a message may be a part of that text. */
  readonly amongText: boolean;
  /** The message is broken, or was inside a broken one. Only its id counts. */
  readonly lost?: true;
}

/** The faults of a message. */
export interface MessageFaults {
  /** Faults of the message as a whole: strict blocks it. */
  readonly errors: readonly Issue[];
  /** Faults inside single items of a list, faults that clients must accept, and mere advice: no mode blocks these. */
  readonly items: readonly Issue[];
  /** How many more faults of the whole message there are than in `errors`, which has as many as a check lists. */
  readonly more?: number;
  /** The revision does not define the method, so only JSON-RPC's rules were checked. */
  readonly isOpen?: boolean;
}

export const NO_FAULTS: MessageFaults = { errors: [], items: [] };
const OPEN: MessageFaults = { ...NO_FAULTS, isOpen: true };

/** These faults, preceded by the fault of the transport. */
export function withTransportFault(
  faults: MessageFaults,
  transport: TransportFault | undefined,
): MessageFaults {
  if (transport === undefined) return faults;
  return { ...faults, errors: [protocolFault("", transport.message), ...faults.errors] };
}

/** All faults of a message. */
export function allFaults(errors: readonly Issue[], items: readonly Issue[]): readonly Issue[] {
  return items.length === 0 ? errors : [...errors, ...items];
}

/**
 * Lists, including those of extensions, whose faulty items cannot hide other items. A duplicate key is an exception:
 * each reader may then see another schema, so it is unknown what calls are checked against.
 */
const LIST_ITEM = /^\/result\/[^/]+\/\d+(?:\/|$)/;

/** Only single messages are checked, never batches, so there is one method. */
export type MessageOptions = JudgeOptions & { readonly requestMethod?: string | undefined };

/** A message of this size or more is checked in steps, before the stages. */
const STEPPED_BYTES = 131_072;

/** Whether a message is checked in one step. */
export const isCheckedAtOnce = ({ bytes }: Frame): boolean => bytes.length < STEPPED_BYTES;

/**
 * Results of checks in steps, by the message's scan. Messages with the same bytes share a scan.
 */
const judgedAhead = new WeakMap<
  FrameScan,
  { readonly options: MessageOptions; readonly check: MessageCheck }
>();

function sameOptions(a: MessageOptions, b: MessageOptions): boolean {
  return (
    a.sender === b.sender &&
    a.revision === b.revision &&
    a.requestMethod === b.requestMethod &&
    a.maxBytes === b.maxBytes &&
    a.tasksExtension === b.tasksExtension
  );
}

/**
 * Checks a long message in steps. {@link messageFaults} uses the result if it gets the same options.
 * @param optionsOf how to check it; undefined if it is not checked. Called only for long messages: most are short
 */
export function* checkMessageSteps(
  frame: Frame,
  optionsOf: () => MessageOptions | undefined,
): Generator<void, void, void> {
  if (isCheckedAtOnce(frame) || frame.kind === "batch") return;
  const options = optionsOf();
  if (options === undefined) return;
  const before = judgedAhead.get(frame.scan);
  if (before !== undefined && sameOptions(before.options, options)) return;
  judgedAhead.set(frame.scan, { options, check: yield* judgeMessageSteps(frame, options) });
}

/** Returns what is wrong with a message according to JSON-RPC and to its MCP revision's rules for the method. */
export function messageFaults(frame: Frame, options: MessageOptions): MessageFaults {
  // Batches are split earlier, so a batch here is inside another batch, or empty. One that gets here is inside
  // another batch, or empty.
  if (frame.kind === "batch") {
    const nested = [protocolFault("", "A batch contains messages, not another batch")];
    return { errors: frame.faults.length > 0 ? frame.faults : nested, items: [] };
  }
  const ahead = judgedAhead.get(frame.scan);
  const isSame = ahead !== undefined && sameOptions(ahead.options, options);
  const check = isSame ? ahead.check : judgeMessage(frame, options);
  const { items, unchecked, warnings } = check;
  const errors =
    unchecked === undefined ? check.errors : [...check.errors, uncheckedFault(unchecked, options)];
  if (errors.length === 0 && items.length === 0 && warnings.length === 0) {
    const named = toolNameFaults(frame, errors);
    if (named.length > 0) return { errors: named, items: [] };
    const { revision } = options;
    const version = typeof revision === "string" ? revision : revision?.version;
    return isMethodDefined(frame, version, options) ? NO_FAULTS : OPEN;
  }
  const { requestMethod } = options;
  const ofList =
    frame.kind === "response" && requestMethod !== undefined && isListResult(requestMethod);
  const found = [...errors, ...items.flatMap(({ issues }) => issues)];
  const isNoted = (issue: Issue): boolean =>
    ofList && issue.rule !== "duplicate" && LIST_ITEM.test(issue.path);
  return {
    errors: [...found.filter((issue) => !isNoted(issue)), ...toolNameFaults(frame, errors)],
    items: [...warnings, ...found.filter(isNoted)],
    ...(check.truncated === undefined ? {} : { more: check.truncated }),
  };
}

/** Returns the fault of a message that could be checked only in part, and so may have other faults. */
function uncheckedFault(why: "maxBytes" | "budget", { maxBytes }: MessageOptions): Issue {
  const message =
    why === "maxBytes"
      ? `the message was not checked by MCP's schema: it has more than ${maxBytes} bytes without long values (protocol_validation.max_bytes)`
      : "the message was not fully checked by MCP's schema: that takes more steps than a check may take";
  return { path: "", message, rule: "guard", keyword: why };
}

/**
 * What is wrong with a server's response.
 * @param pending the request that it answers
 */
export function responseMessageFaults(
  frame: Frame,
  pending: PendingRequest | undefined,
  options: MessageOptions,
): MessageFaults {
  const faults = messageFaults(frame, options);
  if (pending === undefined || frame.id === undefined) return faults;
  if (pending.id === frame.id || idKey(pending.id) === frame.idKey) return faults;
  const sameType = pending.id.startsWith('"') === frame.id.startsWith('"');
  const message = sameType
    ? "the id is not the request's, but some clients treat it as the same"
    : "the type of the id differs from that of the request";
  return { ...faults, errors: [...faults.errors, protocolFault("/id", message)] };
}

/**
 * How many faults of items are listed, the same number as in a check. A list may have tens of thousands of tools of
 * one name.
 */
const MAX_ITEMS = 1_000;

/** The faults of a list, plus new ones from learning it. At most 1,000 are listed; `more` counts the others. */
export function withListFaults(faults: MessageFaults, lesson: LearnedPage): MessageFaults {
  const { errors, items } = faults;
  const known = new Set([...errors, ...items].map(({ path }) => path));
  // If a tool is not learned because of its name, the check by the message schema reports the same fault.
  const more = lesson.faults.filter(({ path }) => !known.has(path) && !known.has(`${path}/name`));
  const room = Math.max(0, MAX_ITEMS - items.length);
  const beyond = Math.max(0, more.length - room);
  const listed = { ...faults, items: [...items, ...more.slice(0, room)] };
  return beyond === 0 ? listed : { ...listed, more: (faults.more ?? 0) + beyond };
}

/** A server that converts types could find a tool by such a name, and the call would be unchecked. */
function toolNameFaults(frame: Frame, known: readonly Issue[]): readonly Issue[] {
  if (frame.method !== "tools/call" || frame.toolName !== undefined) return [];
  if (known.some(({ path }) => path === "/params" || path === "/params/name")) return [];
  const name = frame.range("/params/name");
  const found = name === undefined || frame.bytes[name.start] === QUOTE ? "missing" : "no string";
  const message = `the name of the tool to call must be a string; it is ${found}`;
  return [protocolFault("/params/name", message)];
}

/**
 * Returns the faults of a message without the type fault at one place, if the check of that value by its tool's
 * schema has a decision that is at least as heavy: that check reports the same fault in words for the model. All
 * other faults stay, such as a duplicate key, because that check only sees one of the values.
 * @param path of the arguments or the structured content
 * @param ofSchema runs the check by the tool's schema; called only if there is such a fault
 */
export function withoutTypeFault(
  faults: MessageFaults,
  path: string,
  settings: ProtocolCheckSettings,
  ofSchema: () => PolicyDecision,
): MessageFaults {
  const isType = (fault: Issue): boolean =>
    fault.rule === "protocol" && fault.keyword === "type" && fault.path === path;
  if (!faults.errors.some(isType)) return faults;
  if (isHeavier(decideProtocol(1, settings).decision, ofSchema().decision)) return faults;
  return { ...faults, errors: faults.errors.filter((fault) => !isType(fault)) };
}
