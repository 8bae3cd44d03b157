import {
  decodeUtf8,
  jsonText,
  locateJson,
  locatePointers,
  parseJson,
} from "@touchstone/core/advanced";
import { LATEST_LEGACY, revisionOf } from "@touchstone/protocol/advanced";
import type { ActivityLog } from "@touchstone/records/record";
import type { Logger } from "@touchstone/util";
import type { PayloadDecision } from "../pipeline/decided.ts";
import type { Identity } from "../relay/http/identity.ts";
import type { ServerRuntime } from "../relay/server-runtime.ts";
import type { Decision } from "../settings/validation.ts";
import { mayReach } from "./access/roles.ts";
import { AdminError } from "./admin/errors.ts";
import type { CheckedPart } from "./api/schemas.ts";
import { learnTools } from "./learn-tools.ts";

/** A call by another program. Values are JSON in UTF-8, as the client wrote them. */
export interface CallToCheck {
  readonly server: string;
  readonly tool: string;
  readonly arguments?: Uint8Array | undefined;
  /** An MCP `CallToolResult`. */
  readonly result?: Uint8Array | undefined;
  /** The MCP revision to check by. Default: that of the server's list, or 2025-11-25 if there is none. */
  readonly revision?: string | undefined;
}

/** The response: the decisions, the heaviest first. */
export interface CheckedCall {
  readonly decision: Decision;
  /** The MCP revision that it was checked by. */
  readonly revision: string;
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

/**
 * Returns a function that checks calls by other programs, with the settings of their server and tool. The call runs
 * through the stages for every message (`pipeline/roads.ts`), so every feature applies here, too, but the call is not
 * sent.
 */
export function checkCalls({ served, learn, activity, log }: Parts): CheckCall {
  return async (call, identity) => {
    const runtime = mayReach(identity, call.server) ? served(call.server) : undefined;
    if (runtime === undefined) {
      throw new AdminError("NOT_FOUND", `There is no server ${JSON.stringify(call.server)}.`);
    }
    await learnTools({ runtime, learn: () => learn(call.server), log }, call.tool);
    const { result } = call;
    const by = call.arguments === undefined && result !== undefined ? "result" : "settings";
    const revision = revisionFor(call, runtime);
    const decision = runtime.decision({ by, log: activity, caller: identity.caller, revision });
    try {
      const input = await decision.arguments(call);
      const repaired = input.changed && `"arguments":${textAt(input.changed, "/params/arguments")}`;
      const isOver = input.decision === "blocked" || result === undefined;
      if (isOver) return responseOf(revision, [["input", partOf(input)]], repaired);
      const sent = call.revision === undefined ? completed(result, revision) : result;
      const output = await decision.result(sent);
      const changed = output.changed && textAt(output.changed, "/result");
      const own = sent === result ? changed : changed?.replace(COMPLETE, "{");
      const parts: Parameters<typeof responseOf>[1] = [["output", partOf(output)]];
      if (by === "settings" || input.decision !== "allowed")
        parts.unshift(["input", partOf(input)]);
      return responseOf(revision, parts, repaired, own && `"result":${own}`);
    } finally {
      await decision.end();
    }
  };
}

/** Returns the revision that a call names, or that of the server's list. */
function revisionFor({ revision }: CallToCheck, runtime: ServerRuntime): string {
  const wanted = revision ?? runtime.listedIn() ?? "";
  return revisionOf(wanted)?.version ?? LATEST_LEGACY.version;
}

const COMPLETE = '{"resultType":"complete",';

/**
 * Returns a result in the form that a server sends. If a program names no revision, its result may lack the member
 * that distinguishes results of 2026-07-28: SDKs remove it, and SDKs of earlier revisions do not know it.
 */
function completed(result: Uint8Array, revision: string): Uint8Array {
  if (revisionOf(revision)?.resultType !== true) return result;
  const { members } = locateJson(result, { members: { resultType: true } });
  if (members.has("/resultType")) return result;
  const rest = result.subarray(1);
  const isEmpty = rest.length < 1_024 && decodeUtf8(rest).trim() === "}";
  return Buffer.concat([Buffer.from(isEmpty ? COMPLETE.slice(0, -1) : COMPLETE), rest]);
}

function partOf({
  decision,
  outcome,
  reason,
  issues,
  text,
  records,
}: PayloadDecision): CheckedPart {
  return {
    decision,
    ...(outcome === undefined ? {} : { outcome }),
    ...(reason === undefined ? {} : { reason }),
    issues,
    ...(text === undefined ? {} : { text }),
    records,
  };
}

function textAt(bytes: Uint8Array, pointer: string): string {
  const place = locatePointers(bytes, [pointer]).get(pointer);
  return place?.found === true ? jsonText(bytes, place.value) : "null";
}

const WEIGHT: readonly Decision[] = ["allowed", "warning", "repaired", "blocked"];

/** Writes the response. Changed values are included in the form that would be sent: numbers keep their digits. */
function responseOf(
  revision: string,
  parts: (readonly ["input" | "output", CheckedPart])[],
  ...changed: readonly (string | undefined)[]
): string {
  const decision = parts
    .map(([, part]) => part.decision)
    .reduce((a, b) => (WEIGHT.indexOf(b) > WEIGHT.indexOf(a) ? b : a));
  const text = JSON.stringify({ decision, revision, ...Object.fromEntries(parts) });
  const more = changed.filter((member) => member !== undefined);
  return more.length === 0 ? text : `${text.slice(0, -1)},${more.join(",")}}`;
}

const MEMBERS = {
  ...({ server: true, tool: true, arguments: true, result: true } as const),
  revision: true,
} as const;

/** Reads the body of a request: `arguments` and `result` keep their original bytes. */
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
    revision: members.has("/revision") ? nameAt("/revision") : undefined,
  };
}
