import { arrayItems, decodeUtf8, type JsonRange, jsonText, locatePointers } from "@touchstone/core";
import { type Edit, type Frame, readFrame, spliceFrame } from "@touchstone/protocol";
import { type Definition, definitionSteps } from "@touchstone/protocol/lock";
import { foldedName } from "../../policy/tools.ts";
import type { ServerExchange, Stage } from "../exchange.ts";
import { settle } from "../settle.ts";
import { NEVER_BLOCKED } from "./session.ts";

/**
 * Compares the instructions of a server with the approved ones. Different instructions are recorded; in strict they
 * are removed from the message. All other bytes stay.
 */
export const instructions: Stage<ServerExchange> = {
  name: "instructions",
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
  // An earlier stage may have added to the message.
  const frame = exchange.isReplaced ? readFrame(exchange.onward) : exchange.frame;
  if (exchange.pending?.method === "initialize") {
    state.conversation.announcesTools = announcesTools(frame);
  }
  const members = membersOf(frame, "instructions");
  const found = await slice.take(definitionIn(frame.bytes, members));
  for (const change of await pins.introduced(found)) entries.push(state.evidence.pinChange(change));
  if (found === undefined) return;
  const { mode } = pins.settings;
  const { state: approval, reason } = pins.ofInstructions(found);
  if (approval === "approved" || mode === "off") return;
  const isHeld = mode === "strict";
  if (isHeld) exchange.onward = without(frame, members);
  if (!pins.tells(`${mode} ${approval} ${found.hash}`)) return;
  const why =
    approval === "unknown"
      ? `the approvals cannot be read: ${reason}`
      : approval === "revoked"
        ? "the approval of the server's instructions was withdrawn"
        : "nobody has approved the server's instructions";
  const message = isHeld ? `${why}, so they were taken out of the message` : why;
  settle(
    state,
    {
      direction: "input",
      verdict: {
        decision: isHeld ? "blocked" : "warning",
        outcome: "violation",
        mode,
        record: true,
      },
      issues: [{ path: "/result/instructions", message, rule: "policy", keyword: "pin" }],
      reason: () => message,
      schemaHash: found.hash,
      began: undefined,
    },
    entries,
  );
}

const ANNOUNCES = "/capabilities/tools/listChanged";
/** Longer introductions are not looked through for it. */
const MAX_INTRODUCTION = 1_048_576;

/** Returns whether a server declares that it announces changes of its list of tools. */
function announcesTools({ bytes, ranges: { result } }: Frame): boolean {
  if (result === undefined || result.end - result.start > MAX_INTRODUCTION) return false;
  const own = bytes.subarray(result.start, result.end);
  const place = locatePointers(own, [ANNOUNCES]).get(ANNOUNCES);
  return place?.found === true && jsonText(own, place.value) === "true";
}

/** The members of a result: from the start of the name to the end of the value. */
interface Members {
  readonly all: readonly JsonRange[];
  /** The places of the members that a client may take for the named one; several if the server sent it more than once. */
  readonly named: readonly number[];
}

function membersOf({ bytes, ranges: { result } }: Frame, name: string): Members {
  if (result === undefined || bytes[result.start] !== OPEN_OBJECT) return { all: [], named: [] };
  // Members of an object have commas in the same places as the items of an array.
  const all = [...arrayItems(bytes, result)];
  // Clients in Go ignore case.
  const named = all.flatMap((range, at) =>
    foldedName(nameAt(bytes, range).name) === name ? [at] : [],
  );
  return { all, named };
}

const OPEN_OBJECT = 0x7b;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
/** Of `null`. */
const LETTER_N = 0x6e;

/** Returns a member's name and where its value begins. */
function nameAt(bytes: Uint8Array, { start }: JsonRange): { name: string; value: number } {
  let at = start + 1;
  while (bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  const name: unknown = JSON.parse(decodeUtf8(bytes.subarray(start, at + 1)));
  at += 1;
  while (bytes[at] !== COLON) at += 1;
  at += 1;
  while ((bytes[at] ?? 0) <= 0x20) at += 1;
  return { name: String(name), value: at };
}

/**
 * Returns the values of members as one definition. Several become a list, because readers differ in which one they
 * use.
 */
function* definitionIn(
  bytes: Uint8Array,
  { all, named }: Members,
): Generator<void, Definition | undefined, void> {
  const values = named.flatMap((at) => {
    const range = all[at] as JsonRange;
    const { value } = nameAt(bytes, range);
    return bytes[value] === LETTER_N ? [] : [decodeUtf8(bytes.subarray(value, range.end))];
  });
  const [only] = values;
  if (only === undefined) return undefined;
  return yield* definitionSteps(values.length === 1 ? only : `[${values.join(",")}]`);
}

/** Returns a message without some members of its result, each removed with its comma. */
function without({ bytes }: Frame, { all, named }: Members): Uint8Array {
  const removed = new Set(named);
  const lastKept = all.findLastIndex((_, at) => !removed.has(at));
  const edits: Edit[] = [];
  for (const at of named) {
    const [own, next] = [all[at], all[at + 1]];
    if (own === undefined) continue;
    // Members after the last one that stays are removed with the comma before them.
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
