import {
  arrayItemSteps,
  decodeUtf8,
  foldText,
  type JsonRange,
  jsonText,
  locateJson,
  MAX_FOLDED,
  type MemberPlan,
  skipLongQuoted,
} from "@touchstone/core/advanced";
import { type Edit, type Frame, readFrameSteps, spliceFrame } from "@touchstone/protocol/advanced";
import { definitionSteps, type HashedDefinition } from "@touchstone/protocol/lock";
import { MAX_PINNED_TEXT } from "@touchstone/records/plain";
import { joinBatch } from "@touchstone/util";
import type { Approval } from "../../features/pin/pins.ts";
import { hasPinning, type Mode } from "../../settings/validation.ts";
import type { ServerExchange, Stage } from "../exchange.ts";
import { settle } from "../settle.ts";
import { NEVER_BLOCKED } from "./session.ts";

/**
 * Compares the instructions of a server with the approved ones. Different instructions are recorded; in strict they
 * are removed from the message, and so are members whose names are too long to be compared with theirs. All other
 * bytes stay.
 */
export const instructions: Stage<ServerExchange> = {
  name: "instructions",
  isOn: ({ server }) => hasPinning(server),
  skipsCalls: true,
  wait(exchange) {
    const { state, frame, pending } = exchange;
    if (state.context.pins?.isOn !== true || frame.kind !== "response") return undefined;
    return NEVER_BLOCKED.has(pending?.method ?? "") ? compare(exchange) : undefined;
  },
  run: () => "continue",
};

async function compare(exchange: ServerExchange): Promise<void> {
  const { state, entries } = exchange;
  const { pins, slice } = state.context;
  if (pins === undefined) return;
  // An earlier stage may have added members to the message.
  const frame = exchange.isReplaced
    ? await slice.take(readFrameSteps(exchange.onward))
    : exchange.frame;
  if (exchange.pending?.method === "initialize") {
    state.conversation.announcesTools = announcesTools(frame);
  }
  const members = await slice.take(membersOf(frame, "instructions"));
  const found = await slice.take(definitionIn(frame.bytes, members));
  for (const change of await pins.introduced(found)) entries.push(state.evidence.pinChange(change));
  const { mode } = pins.settings;
  if (mode === "off") return;
  const isStrict = mode === "strict";
  const removed = new Set(isStrict ? members.long : []);
  const approval = found && pins.ofInstructions(found);
  const isApproved = approval === undefined || approval.state === "approved";
  if (!isApproved && isStrict) for (const at of members.named) removed.add(at);
  if (removed.size > 0) exchange.onward = without(frame, members.all, removed);
  const [first] = members.long;
  if (first !== undefined && pins.tells(`${mode} long ${members.long.length}`)) {
    note(exchange, mode, longNames(members.long.length, isStrict));
  }
  if (isApproved || !pins.tells(`${mode} ${approval.state} ${found?.hash}`)) return;
  note(exchange, mode, unapproved(approval, isStrict), found?.hash);
}

function longNames(count: number, isStrict: boolean): string {
  const [names, members] =
    count === 1 ? ["member name", "the member was"] : ["member names", "the members were"];
  const what = `${count} ${names} cannot be compared with "instructions": at most ${MAX_FOLDED} characters are`;
  return isStrict ? `${what}, so ${members} taken out of the message` : what;
}

function unapproved({ state, reason }: Approval, isStrict: boolean): string {
  const why =
    state === "unknown"
      ? `the approvals cannot be read: ${reason}`
      : state === "revoked"
        ? "the approval of the server's instructions was withdrawn"
        : "nobody has approved the server's instructions";
  return isStrict ? `${why}, so they were taken out of the message` : why;
}

function note(
  { state, entries }: ServerExchange,
  mode: Mode,
  message: string,
  schemaHash?: string | undefined,
): void {
  const decision = mode === "strict" ? "blocked" : "warning";
  settle(
    state,
    {
      direction: "input",
      verdict: { decision, outcome: "violation", mode, record: true },
      issues: [{ path: "/result/instructions", message, rule: "policy", keyword: "pin" }],
      reason: () => message,
      schemaHash,
      began: undefined,
    },
    entries,
  );
}

const ANNOUNCES: MemberPlan = { capabilities: { tools: { listChanged: true } } };
/** Longer introductions are not searched for it. */
const MAX_INTRODUCTION = 1_048_576;

/** Returns whether a server declares that it announces changes of its list of tools. */
function announcesTools({ bytes, ranges: { result } }: Frame): boolean {
  if (result === undefined || result.end - result.start > MAX_INTRODUCTION) return false;
  const own = bytes.subarray(result.start, result.end);
  const place = locateJson(own, { members: ANNOUNCES }).members.get(
    "/capabilities/tools/listChanged",
  );
  return place !== undefined && place.end - place.start === 4 && jsonText(own, place) === "true";
}

/** The members of a result: from the start of the name to the end of the value. */
interface Members {
  readonly all: readonly JsonRange[];
  /**
   * The positions of the members that a client may treat as the named one; several if the server sent it more than
   * once.
   */
  readonly named: readonly number[];
  /** The positions of the members whose names are too long to be compared. */
  readonly long: readonly number[];
}

/** Finds the members of a result that a client may treat as the named one. */
function* membersOf(
  { bytes, ranges: { result } }: Frame,
  name: string,
): Generator<void, Members, void> {
  const [all, named, long]: [JsonRange[], number[], number[]] = [[], [], []];
  if (result === undefined || bytes[result.start] !== OPEN_OBJECT) return { all, named, long };
  // The commas in an object are in the same places as those in an array.
  for (const range of arrayItemSteps(bytes, result)) {
    yield;
    if (range === undefined) continue;
    const compared = nameAt(bytes, range);
    // Clients in Go ignore case.
    if (compared === name) named.push(all.length);
    if (compared === undefined) long.push(all.length);
    all.push(range);
  }
  return { all, named, long };
}

const OPEN_OBJECT = 0x7b;
const COLON = 0x3a;
/** Of `null`. */
const LETTER_N = 0x6e;

/** No name of `MAX_FOLDED` characters has more bytes: an escaped character has six. */
const MAX_NAME_BYTES = 6 * MAX_FOLDED + 2;

/** Returns a member's name in the form in which it is compared; undefined if it is too long for that. */
function nameAt(bytes: Uint8Array, { start }: JsonRange): string | undefined {
  const end = skipLongQuoted(bytes, start);
  if (end - start > MAX_NAME_BYTES) return undefined;
  return foldText(String(JSON.parse(decodeUtf8(bytes.subarray(start, end)))), "name");
}

/** Returns where a member's value begins. */
function valueAt(bytes: Uint8Array, { start }: JsonRange): number {
  let at = skipLongQuoted(bytes, start);
  while (bytes[at] !== COLON) at += 1;
  at += 1;
  while ((bytes[at] ?? 0) <= 0x20) at += 1;
  return at;
}

/**
 * Returns the values of members as one definition. Several become a list, because readers differ in which one they
 * use.
 */
function* definitionIn(
  bytes: Uint8Array,
  { all, named }: Members,
): Generator<void, HashedDefinition | undefined, void> {
  const values = named.flatMap((at) => {
    const range = all[at] as JsonRange;
    const value = valueAt(bytes, range);
    return bytes[value] === LETTER_N ? [] : [bytes.subarray(value, range.end)];
  });
  const [only] = values;
  if (only === undefined) return undefined;
  const source = values.length === 1 ? only : joinBatch(values);
  return yield* definitionSteps(source, MAX_PINNED_TEXT);
}

/** Returns a message without some members of its result, each removed with its comma. */
function without(
  { bytes }: Frame,
  all: readonly JsonRange[],
  removed: ReadonlySet<number>,
): Uint8Array {
  const lastKept = all.findLastIndex((_, at) => !removed.has(at));
  const edits: Edit[] = [];
  for (const at of [...removed].sort((a, b) => a - b)) {
    const [own, next] = [all[at], all[at + 1]];
    if (own === undefined) continue;
    // If no kept member follows, a member is removed with the comma before it.
    if (at < lastKept && next !== undefined) {
      edits.push({ range: { start: own.start, end: next.start }, text: "" });
    }
  }
  const [last, kept] = [all.at(-1), all[lastKept]];
  if (last !== undefined && lastKept < all.length - 1) {
    const start = kept?.end ?? all[0]?.start ?? last.start;
    edits.push({ range: { start, end: last.end }, text: "" });
  }
  return spliceFrame(bytes, edits);
}
