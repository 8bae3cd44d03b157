import { isObject } from "@touchstone/core/advanced";
import type { Gateway } from "@touchstone/gateway/serve";
import type { ProcessIo } from "../io/process-io.ts";
import { type Connection, connect } from "../servers/connect.ts";
import { CORRECTED_CALL, DEMO_CALLS, type DemoCall, WRONG_CALL } from "./calls.ts";

/** The results of the agent's calls. */
export interface DemoCalls {
  readonly made: number;
  /** How many calls have each status, according to the records. */
  readonly statuses: ReadonlyMap<string, number>;
  readonly blocked: {
    /** Id of the record of the decision. */
    readonly record: string;
    /** The mode of its arguments. */
    readonly mode: string;
    readonly call: DemoCall;
    /** The text that the agent received instead of a result. */
    readonly read: string;
  };
  readonly corrected: { readonly call: DemoCall; readonly read: string };
}

const TIMEOUT_MS = 10_000;

/**
 * Makes the demo's calls as an agent would: through the gateway's endpoints, one after the other.
 * @throws if a server does not start or respond, or nothing was blocked
 */
export async function makeDemoCalls(
  gateway: Gateway,
  io: ProcessIo & { readonly version: string },
  stop: AbortSignal,
): Promise<DemoCalls> {
  const connections = new Map<string, Connection>();
  const read = new Map<DemoCall, string>();
  try {
    for (const name of new Set(DEMO_CALLS.map(({ server }) => server))) {
      const url = gateway.urls.get(name) ?? "";
      const target = { name, upstream: { type: "http", url, headers: {} } } as const;
      const options = { timeout: TIMEOUT_MS, env: {}, version: io.version, stderr: () => {}, stop };
      const connection = await connect(target, { ...options, clientName: "demo-agent" });
      connections.set(name, connection);
      await connection.listTools();
    }
    for (const call of DEMO_CALLS) {
      const { server, tool, args } = call;
      const answer = await connections.get(server)?.callTool({ name: tool }, JSON.stringify(args));
      read.set(call, resultText(answer?.value));
    }
  } finally {
    await Promise.all([...connections.values()].map((connection) => connection.close()));
  }
  return {
    made: DEMO_CALLS.length,
    statuses: await statuses(gateway, stop),
    blocked: {
      ...(await blockedRecord(gateway, stop)),
      call: WRONG_CALL,
      read: read.get(WRONG_CALL) ?? "",
    },
    corrected: { call: CORRECTED_CALL, read: read.get(CORRECTED_CALL) ?? "" },
  };
}

/** Returns the part of a result that a model reads: its structured content, or else its text. */
function resultText(result: unknown): string {
  if (!isObject(result)) return "";
  const { structuredContent, content } = result;
  if (structuredContent !== undefined) return JSON.stringify(structuredContent);
  const [first] = Array.isArray(content) ? content : [];
  return isObject(first) && typeof first["text"] === "string" ? first["text"] : "";
}

interface Listed {
  readonly activities: readonly {
    readonly id: string;
    readonly status: string;
    readonly mode: string | null;
  }[];
}

async function list(gateway: Gateway, query: string, signal: AbortSignal): Promise<Listed> {
  const response = await fetch(new URL(`api/v1/activity?${query}`, gateway.url), { signal });
  return (await response.json()) as Listed;
}

async function statuses(gateway: Gateway, stop: AbortSignal): Promise<ReadonlyMap<string, number>> {
  const { activities } = await list(gateway, "type=tool_call&limit=1000", stop);
  const counts = new Map<string, number>();
  for (const { status } of activities) counts.set(status, (counts.get(status) ?? 0) + 1);
  return counts;
}

async function blockedRecord(
  gateway: Gateway,
  stop: AbortSignal,
): Promise<{ readonly record: string; readonly mode: string }> {
  const query = "type=policy_decision&decision=blocked&limit=1";
  const [record] = (await list(gateway, query, stop)).activities;
  if (record === undefined) throw new Error("nothing was blocked");
  return { record: record.id, mode: record.mode ?? "" };
}
