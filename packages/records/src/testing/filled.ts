import { createHash } from "node:crypto";
import { SchemaCache } from "@touchstone/core/advanced";
import { ToolContract } from "../../../gateway/src/contracts/contract.ts";
import { decideApproval } from "../approvals.ts";
import type { PinnedText } from "../contracts/pin-store.ts";
import { emptyShape } from "../drift/shape.ts";
import { problemsIn } from "../problems/problem.ts";
import type { ActivityEntry } from "../record.ts";
import type { ConsoleSession } from "../session-store.ts";
import type { ActivityStore } from "../store.ts";
import { CALL } from "./fixtures.ts";

const REVISION = "2025-11-25";
const tool = (name: string, input: string, output = '{"type":"object"}'): ToolContract =>
  new ToolContract(
    {
      ...{ name, inputSchema: Buffer.from(input) },
      ...(output === "" ? {} : { outputSchema: Buffer.from(output) }),
    },
    new SchemaCache(),
  );
/** Returns a declaration in the form in which a gateway pins it. */
export const pinned = (name: string, text: string): PinnedText => ({
  kind: "tool",
  name,
  hash: `sha256:${createHash("sha256").update(text).digest("hex")}`,
  text,
});
export const [A, B, C] = [
  pinned("a", '{"name":"a"}'),
  pinned("b", '{"name":"b"}'),
  pinned("c", '{"name":"c"}'),
];

/** A decision about a call of some caller. */
const FAILED: ActivityEntry = {
  ...{ type: "policy_decision", source: "gateway", server: "s", tool: "a", caller: "bob" },
  ...{ direction: "input", mode: "strict", decision: "blocked", outcome: "violation" },
  schema_hash: `sha256:${"0".repeat(64)}`,
  issues: [{ path: "/x", message: "must be string", rule: "type", keyword: "type" }],
};

const START = "2026-01-01T00:00:00.000Z";
/** Limits that end no session. */
export const BOUNDS = { ofOwner: 100, inAll: 100 };

/** A session of the console that ends in a thousand years. */
export function session(more: Partial<ConsoleSession> = {}): ConsoleSession {
  const { id = "1" } = more;
  const times = { created: START, seen: START, expires: "3026-01-01T00:00:00.000Z" };
  return { id, token: `token-${id}`, owner: "o", caller: null, about: "{}", ...times, ...more };
}

/** Ignores the problem of {@link FAILED}, once it is known. */
export async function ignoreProblem(store: ActivityStore): Promise<void> {
  const { problems } = problemsIn({
    ...{ server: "s", tool: "a", direction: "input", outcome: "violation", truncated: null },
    issues: JSON.stringify(FAILED.issues),
  });
  const end = "3026-01-01T00:00:00.000Z";
  const who = { actor: "user alice", caller: "alice", reason: "known" };
  const kept = await store.problemIgnores.add({
    ...{ problem: problems[0]?.id ?? "", until: end, since: START, ...who },
  });
  if (!kept) throw new Error("the problem is not known yet");
}

/** Writes a row into each table that both databases have. */
export async function fillTables(store: ActivityStore): Promise<void> {
  const listOf = (server: string, ...tools: ToolContract[]) =>
    store.contracts.replace({ server, revision: REVISION, authorization: "x" }, tools);
  await store.append([CALL, { ...CALL, duration_ms: 7.5 }, CALL, FAILED]);
  await listOf("s", tool("a", "{}"), tool("b", "true"));
  await listOf("s", tool("a", '{"type":"object"}'), tool("b", "true"));
  await listOf("other", tool("a", "{}"), tool("plain", "{}", ""));
  const { outputHash = "" } = tool("a", "{}");
  const shape = emptyShape();
  shape.count = 1;
  await store.shapes.add([
    { server: "s", tool: "a", schema: '{"type":"object"}', schemaHash: outputHash, shape },
  ]);
  await store.views.save({ name: "v", list: "calls", query: "caller:alice" }, new Date(START));
  await store.consoleSessions.add(session({ id: "1", caller: "alice" }), BOUNDS, START);
  await store.pins.firstUse("s", "tool", [A, B]);
  await store.pins.saw("s", [C, pinned("d", '{"name":"d"}')]);
  const made = {
    server: "s",
    author: { actor: "user alice", caller: "alice" },
    source: "cli",
  } as const;
  await decideApproval(store, { ...made, state: "approved", name: "c" });
  await decideApproval(store, { ...made, state: "revoked", name: "b" });
}
