import {
  isObject,
  joinPointer,
  jsonText,
  locateJson,
  type MemberPlan,
  parseJson,
} from "@touchstone/core/advanced";
import type { Frame } from "@touchstone/protocol/advanced";
import { isObjectAt, shortValueAt } from "./edits.ts";

/** How many times a request is sent again with input. */
export const MAX_ROUNDS = 10;
/** How long the client may take for the requests of one result, in milliseconds: a person may have to respond. */
export const INPUT_MS = 600_000;
/** More requests of one result, or longer ones, are not read. */
const MAX_REQUESTS = 100;
const MAX_BYTES = 1_048_576;

const PARTS = ["mode", "tools", "toolChoice", "elicitationId"] as const;

/** A request of the server, within a result. */
export interface AskedRequest {
  /** The name under which its response goes back. */
  readonly key: string;
  readonly method: string;
  /** Source text. */
  readonly params: string | undefined;
  /** Source texts of those params on which it depends what the client must be able to do. */
  readonly parts: Readonly<Record<(typeof PARTS)[number], string | undefined>>;
}

/** What a result asks for. */
export interface AskedInput {
  readonly requests: readonly AskedRequest[];
  /** The source text of `requestState`. */
  readonly state: string | undefined;
}

const OUTER: MemberPlan = { result: { inputRequests: true, requestState: true } };
const INNER: MemberPlan = {
  method: true,
  params: { mode: true, tools: true, toolChoice: true, elicitationId: true },
};

/** Returns what a result asks for; undefined if it has no form that can be read, or asks for nothing. */
export function readInput({ bytes }: Frame): AskedInput | undefined {
  const { members } = locateJson(bytes, { members: OUTER });
  const state = members.get("/result/requestState");
  const text = state && jsonText(bytes, state);
  const all = members.get("/result/inputRequests");
  if (all === undefined) return text === undefined ? undefined : { requests: [], state: text };
  if (!isObjectAt(bytes, all) || all.end - all.start > MAX_BYTES) return undefined;
  const part = bytes.subarray(all.start, all.end);
  const parsed = parseJson(part);
  if (!parsed.ok || !isObject(parsed.value)) return undefined;
  const keys = Object.keys(parsed.value);
  if (keys.length > MAX_REQUESTS) return undefined;
  const found = locateJson(part, {
    members: Object.fromEntries(keys.map((key) => [key, INNER])),
  });
  const requests: AskedRequest[] = [];
  for (const key of keys) {
    const own = joinPointer("", key);
    const source = (pointer: string): string | undefined => {
      const range = found.members.get(own + pointer);
      return range && jsonText(part, range);
    };
    const method = shortValueAt(part, found.members.get(`${own}/method`));
    if (typeof method !== "string") return undefined;
    const [mode, tools, toolChoice, elicitationId] = PARTS.map((name) => source(`/params/${name}`));
    const parts = { mode, tools, toolChoice, elicitationId };
    requests.push({ key, method, params: source("/params"), parts });
  }
  return { requests, state: text };
}
