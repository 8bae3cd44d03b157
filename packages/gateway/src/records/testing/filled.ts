import { createHash } from "node:crypto";
import { SchemaCache } from "@touchstone/core";
import { ToolContract } from "../../contracts/contract.ts";
import type { PinnedText } from "../../contracts/pin-store.ts";
import { emptyShape } from "../../features/drift/shape.ts";
import { decide } from "../approvals.ts";
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
/** A declaration as a gateway pins it. */
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

/** Writes something into each table that both databases have. */
export async function fillTables(store: ActivityStore): Promise<void> {
  const listOf = (server: string, ...tools: ToolContract[]) =>
    store.contracts.replace({ server, revision: REVISION, authorization: "x" }, tools);
  await store.append([CALL, { ...CALL, duration_ms: 7.5 }, CALL]);
  await listOf("s", tool("a", "{}"), tool("b", "true"));
  await listOf("s", tool("a", '{"type":"object"}'), tool("b", "true"));
  await listOf("other", tool("a", "{}"), tool("plain", "{}", ""));
  const { outputHash = "" } = tool("a", "{}");
  const shape = emptyShape();
  shape.count = 1;
  await store.shapes.add([
    { server: "s", tool: "a", schema: '{"type":"object"}', schemaHash: outputHash, shape },
  ]);
  await store.pins.firstUse("s", "tool", [A, B]);
  await store.pins.saw("s", [C, pinned("d", '{"name":"d"}')]);
  const made = {
    server: "s",
    author: { actor: "user alice", caller: "alice" },
    source: "cli",
  } as const;
  await decide(store, { ...made, state: "approved", name: "c" });
  await decide(store, { ...made, state: "revoked", name: "b" });
}
