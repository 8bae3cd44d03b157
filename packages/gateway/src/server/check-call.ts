import type { Issue } from "@touchstone/core";
import { jsonText, locateJson, locatePointers, messageOf, parseJson } from "@touchstone/core";
import { textOf } from "../pipeline/messages.ts";
import type { Passage } from "../pipeline/pipeline.ts";
import type { Decision } from "../policy/settings.ts";
import type { ActivityEntry, ActivityLog, ActivityRecord } from "../records/record.ts";
import { type Identity, mayReach } from "../transport/http/identity.ts";
import type { ServerRuntime } from "../upstreams/server-runtime.ts";
import type { Logger } from "../util/log.ts";
import { AdminError } from "./admin/errors.ts";

/** A call by another program. Values are JSON in UTF-8, as the client wrote them. */
export interface CallToCheck {
  readonly server: string;
  readonly tool: string;
  readonly arguments?: Uint8Array | undefined;
  /** An MCP `CallToolResult`. */
  readonly result?: Uint8Array | undefined;
}

/** The decision about the arguments or the result of a call. */
export interface CheckedPart {
  readonly decision: Decision;
  /** The outcome of the check; absent if the policy allowed it. */
  readonly outcome?: string;
  /** What is wrong in one line; absent if the policy allowed it. */
  readonly reason?: string;
  readonly issues: readonly Issue[];
  /** The text for the model; absent unless it is blocked. */
  readonly text?: string;
  /** The ids of the records. */
  readonly records: readonly string[];
}

/** The response: the decisions, the heaviest first. */
export interface CheckedCall {
  readonly decision: Decision;
  /** Absent if only the result was checked, or there is nothing to report about the arguments. */
  readonly input?: CheckedPart;
  /** Absent if there is no result, or the call is blocked. */
  readonly output?: CheckedPart;
  readonly arguments?: unknown;
  readonly result?: unknown;
}

/**
 * Checks a call, and records the decisions. Resolves to the response.
 * @param identity the client: a server that it may not reach is not found, and the rules of its key apply
 */
export type CheckCall = (call: CallToCheck, identity: Identity) => Promise<string>;

interface Parts {
  readonly served: (name: string) => ServerRuntime | undefined;
  /** Makes a server list its tools. */
  readonly learn: (server: string) => Promise<void>;
  readonly activity: ActivityLog;
  readonly log: Logger;
}

/** Collects what one pipeline records, as records of this API. */
class CheckLog implements ActivityLog {
  readonly #log: ActivityLog;
  #part: { readonly entries: ActivityEntry[]; readonly ids: string[] } = { entries: [], ids: [] };
  /** Whether the check is over: how the call continues is unknown. */
  over = false;

  constructor(log: ActivityLog) {
    this.#log = log;
  }

  async append(entries: readonly ActivityEntry[]): Promise<readonly ActivityRecord[]> {
    if (this.over) return [];
    const own = entries.map((entry) => ({ ...entry, source: "http" as const }));
    const records = await this.#log.append(own);
    this.#part.entries.push(...own);
    this.#part.ids.push(...records.map(({ id }) => id));
    return records;
  }

  /** Returns the records since the last call. */
  take(): { readonly entries: readonly ActivityEntry[]; readonly ids: readonly string[] } {
    const taken = this.#part;
    this.#part = { entries: [], ids: [] };
    return taken;
  }

  async close(): Promise<void> {}
}

/**
 * Returns a function that checks calls by other programs, with the settings of their server and tool. The call takes
 * the road of every message (`pipeline/roads.ts`), so every feature applies here too; only nothing is sent.
 */
export function checkCalls({ served, learn, activity, log }: Parts): CheckCall {
  return async (call, identity) => {
    const runtime = mayReach(identity, call.server) ? served(call.server) : undefined;
    if (runtime === undefined) {
      throw new AdminError("NOT_FOUND", `There is no server ${JSON.stringify(call.server)}.`);
    }
    if (runtime.needsList(call.tool)) {
      await learn(call.server).catch((error: unknown) => {
        // Earlier knowledge applies, or else `on_unknown_schema`.
        log.debug("could not fetch tools/list for a check", { reason: messageOf(error) });
      });
    }
    const own = new CheckLog(activity);
    const { result } = call;
    const part = call.arguments === undefined && result !== undefined ? "output" : "both";
    const pipeline = runtime.checking(own, part, identity.caller);
    try {
      const sent = requestFor(call);
      const { passage } = await pipeline.fromClient(pipeline.read(sent));
      const input = partOf(await passage, sent, own);
      const repaired = input.changed && `"arguments":${textAt(input.changed, "/params/arguments")}`;
      const isOver = input.part.decision === "blocked" || result === undefined;
      if (isOver) return responseOf([["input", input.part]], repaired);
      const back = Buffer.concat([RESULT_BEFORE, result, END]);
      const output = partOf(await pipeline.fromServer(pipeline.read(back)), back, own);
      const changed = output.changed && `"result":${textAt(output.changed, "/result")}`;
      const parts: Parameters<typeof responseOf>[0] = [["output", output.part]];
      if (part === "both" || input.part.decision !== "allowed")
        parts.unshift(["input", input.part]);
      return responseOf(parts, repaired, changed);
    } finally {
      own.over = true;
      await pipeline.end("the check is over");
    }
  };
}

const RESULT_BEFORE = Buffer.from('{"jsonrpc":"2.0","id":1,"result":');
const ARGUMENTS_BEFORE = Buffer.from(',"arguments":');
const END = Buffer.from("}");

function requestFor({ tool, arguments: args }: CallToCheck): Buffer {
  const name = JSON.stringify(tool);
  return Buffer.concat([
    Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":${name}`),
    ...(args === undefined ? [] : [ARGUMENTS_BEFORE, args]),
    ...[END, END],
  ]);
}

interface FoundPart {
  readonly part: CheckedPart;
  /** Returns the changed message; undefined if nothing was changed. */
  readonly changed: Uint8Array | undefined;
}

/** Returns the decision about a message. A message that is not sent, for whatever reason, is blocked. */
function partOf({ onward, back = [] }: Passage, sent: Uint8Array, log: CheckLog): FoundPart {
  const { entries, ids } = log.take();
  const found = entries.filter(({ type }) => type === "policy_decision");
  const heaviest = ["blocked", "repaired", "warning"].flatMap(
    (decision) => found.find((entry) => entry.decision === decision) ?? [],
  )[0];
  const [reply] = back;
  // Without a record, the replacement is an error: for example, that the record cannot be written.
  const isReplaced = onward !== sent && found.length === 0;
  const isBlocked = heaviest?.decision === "blocked" || onward === undefined || isReplaced;
  const { outcome, reason } = heaviest ?? {};
  const decision = isBlocked ? "blocked" : (heaviest?.decision ?? "allowed");
  const answer = isBlocked ? (reply ?? onward) : undefined;
  const part: CheckedPart = {
    decision,
    ...(outcome === undefined ? {} : { outcome }),
    ...(reason === undefined ? {} : { reason }),
    issues: found.flatMap(({ issues = [] }) => issues),
    ...(answer === undefined ? {} : { text: textOf(answer) }),
    records: ids,
  };
  return { part, changed: isBlocked || onward === sent ? undefined : onward };
}

function textAt(bytes: Uint8Array, pointer: string): string {
  const place = locatePointers(bytes, [pointer]).get(pointer);
  return place?.found === true ? jsonText(bytes, place.value) : "null";
}

const WEIGHT: readonly Decision[] = ["allowed", "warning", "repaired", "blocked"];

/** Writes the response. Changed values are included as they would be sent: numbers keep their digits. */
function responseOf(
  parts: (readonly ["input" | "output", CheckedPart])[],
  ...changed: readonly (string | undefined)[]
): string {
  const decision = parts
    .map(([, part]) => part.decision)
    .reduce((a, b) => (WEIGHT.indexOf(b) > WEIGHT.indexOf(a) ? b : a));
  const text = JSON.stringify({ decision, ...Object.fromEntries(parts) });
  const more = changed.filter((member) => member !== undefined);
  return more.length === 0 ? text : `${text.slice(0, -1)},${more.join(",")}}`;
}

const MEMBERS = { server: true, tool: true, arguments: true, result: true } as const;

/** Reads the body of a request: `arguments` and `result` stay the bytes of it. */
export function readCall(bytes: Uint8Array): CallToCheck {
  const { members } = locateJson(bytes, { members: MEMBERS, maxDepth: Number.POSITIVE_INFINITY });
  const at = (pointer: string): Uint8Array | undefined => {
    const range = members.get(pointer);
    return range && bytes.subarray(range.start, range.end);
  };
  const nameAt = (pointer: string): string => {
    const parsed = parseJson(at(pointer) ?? new Uint8Array());
    return parsed.ok ? String(parsed.value) : "";
  };
  return {
    server: nameAt("/server"),
    tool: nameAt("/tool"),
    arguments: at("/arguments"),
    result: at("/result"),
  };
}
