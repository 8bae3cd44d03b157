import { createHash } from "node:crypto";
import type { SchemaCache } from "@touchstone/core/advanced";
import type { FoundRequest, RequestStore, StoredRequest } from "@touchstone/records/plain";
import type { PacedLog } from "@touchstone/util";
import { ToolContract } from "../contracts/contract.ts";
import type { SharedRequests } from "../pipeline/context.ts";
import type { PendingRequest, ToolCall } from "../pipeline/in-flight.ts";
import { storedUnknownReason } from "./shared-tasks.ts";

export interface SharedRequestsParts {
  readonly server: string;
  readonly store: RequestStore;
  readonly cache: SchemaCache;
  readonly settings: (tool: string | undefined) => ToolCall["settings"];
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  readonly paced: PacedLog;
}

/** The data about a request that gateways share. Later releases may read it. */
interface ToldRequest {
  readonly method: string;
  readonly revision?: string | undefined;
  readonly cursor?: string | undefined;
  readonly call?: ToldCall | undefined;
}

interface ToldCall
  extends Pick<
    ToolCall,
    "tool" | "requestId" | "bytesIn" | "wantsTask" | "verdict" | "recorded" | "gap"
  > {
  /** Whether the tool's schemas were known when the call came. */
  readonly known: boolean;
}

/** Announces requests to other gateways, and finds theirs, so that each checks the responses. */
export function shareRequests(parts: SharedRequestsParts): SharedRequests {
  const { server, store, paced } = parts;
  const guarded = async <T>(step: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await step();
    } catch (error) {
      const what = "gateways could not inform each other of a request on a stream of events";
      paced.error(`${server}: ${what}`, what, { server, error: String(error) });
      return undefined;
    }
  };
  const keyOf = (session: string, idKey: string) => ({ server, session, id: hashOf(idKey) });
  return {
    async announce(session, requests) {
      const kept = [...requests].map(([key, pending]) => [hashOf(key), toldOf(pending)] as const);
      await guarded(() => store.keep({ server, session }, new Map(kept)));
    },
    answered(session, idKey) {
      // If this fails, it is dropped later.
      store.answered(keyOf(session, idKey)).catch(() => {});
    },
    find: (session, idKey, id) =>
      guarded(async () => {
        const found = await store.find(keyOf(session, idKey));
        return found && requestOf(found, id, parts);
      }),
    async isRecorded(requestId) {
      return (await guarded(() => store.isRecorded(requestId))) === true;
    },
  };
}

function hashOf(idKey: string): string {
  return `sha256:${createHash("sha256").update(idKey).digest("hex")}`;
}

function toldOf({ method, revision, cursor, call }: PendingRequest): StoredRequest {
  const told: ToldRequest = { method, revision, cursor, call: call && toldCall(call) };
  const { outputHash: hash, outputText: text } = call?.contract ?? {};
  const output = hash === undefined || text === undefined ? undefined : { hash, text };
  return { request: JSON.stringify(told), requestId: call?.requestId, output };
}

/** Without arguments and issues, which are in records. */
function toldCall(call: ToolCall): ToldCall {
  const { tool, requestId, bytesIn, wantsTask, recorded, contract, gap } = call;
  const { reason: _, ...verdict } = call.verdict;
  const known = contract !== undefined;
  return {
    tool,
    requestId,
    bytesIn,
    wantsTask,
    verdict,
    recorded,
    known,
    gap: gap && storedUnknownReason(gap),
  };
}

function requestOf(
  { request, recorded, output, elapsedMs }: FoundRequest,
  id: string,
  { cache, settings, now }: SharedRequestsParts,
): PendingRequest {
  const { method, revision, cursor, call } = JSON.parse(request) as ToldRequest;
  const found = { id, method, revision, cursor };
  if (call === undefined) return found;
  const { known, ...told } = call;
  const declared = output === undefined ? {} : { outputSchema: output.text };
  return {
    ...found,
    call: {
      ...told,
      contract: known ? new ToolContract({ name: call.tool ?? "", ...declared }, cache) : undefined,
      settings: settings(call.tool),
      startedAt: now() - elapsedMs,
      recorded: call.recorded || recorded,
      sent: true,
    },
  };
}
