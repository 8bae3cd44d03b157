import { compileDeclared, SchemaCache } from "@touchstone/core/advanced";
import { expect, it, onTestFinished } from "vitest";
import type { DriftEntry } from "../../../../records/src/drift/store.ts";
import { ToolContract } from "../../contracts/contract.ts";
import { all, call, Harness, type Json, toolResult } from "../../pipeline/testing/harness.ts";
import { DriftCollector } from "./collector.ts";

const OUTPUT = {
  type: "object",
  required: ["sum"],
  properties: { sum: { type: "integer", minimum: 0 } },
};
const TOOLS = [
  { name: "add", inputSchema: { type: "object" }, outputSchema: OUTPUT },
  { name: "open", inputSchema: { type: "object" } },
];
const ADD = new ToolContract(
  { name: "add", outputSchema: new TextEncoder().encode(JSON.stringify(OUTPUT)) },
  new SchemaCache(),
);

async function collecting(mode: "warn" | "off" | "strict" = "warn") {
  const kept: DriftEntry[] = [];
  const lines: string[] = [];
  const log = new Harness().log;
  let fails = false;
  const store = {
    async add(entries: readonly DriftEntry[]) {
      if (fails) throw new Error("disk full");
      kept.push(...entries);
    },
  };
  const collector = new DriftCollector(store, {
    ...log,
    warn: (message: string) => lines.push(message),
  });
  onTestFinished(() => collector.close());
  const h = new Harness({
    settings: all(mode),
    drift: (contract, text, check) => collector.take("srv", contract, text, check),
  });
  await h.list(TOOLS);
  let id = 0;
  const answer = async (tool: string, members: string): Promise<void> => {
    id += 1;
    await h.client(call(id, tool, "{}"));
    await h.server(toolResult(id, members) as Json);
  };
  return {
    answer,
    collector,
    kept,
    lines,
    fail: () => {
      fails = true;
    },
  };
}

it("collects only results that a schema was applied to", async () => {
  const { answer, collector, kept } = await collecting();
  await answer("add", ',"structuredContent":{"sum":1}');
  await answer("add", ',"structuredContent":{"sum":"1","more":[true]}');
  await answer("add", "");
  await answer("add", ',"isError":true,"structuredContent":{"sum":1}');
  await answer("open", ',"structuredContent":{"sum":1}');
  await collector.flush();
  expect(kept).toMatchObject([
    { server: "srv", tool: "add", schema: JSON.stringify(OUTPUT), shape: { count: 2 } },
  ]);
  const [{ shape } = { shape: undefined }] = kept;
  expect([...(shape?.members.keys() ?? [])]).toEqual(["sum", "more"]);
  await collector.flush();
  expect(kept).toHaveLength(1);
});

it.each([
  ["of small results the first thousand, then every tenth", 1_020, 900, 1_002],
  ["of large ones the first mebibyte, then every tenth", 60, 100_000, 16],
  ["of larger ones less", 60, 200_000, 12],
])("samples %s", async (_, results, bytes, count) => {
  const { collector, kept } = await collecting();
  const text = new TextEncoder().encode(JSON.stringify({ sum: "x".repeat(bytes) }));
  const check = compileDeclared({ value: OUTPUT }).validateText(text);
  for (let i = 0; i < results; i += 1) collector.take("srv", ADD, text, check);
  await collector.flush();
  expect(kept).toMatchObject([{ shape: { count } }]);
  collector.take("srv", ADD, text, check);
  await collector.flush();
  expect(kept).toMatchObject([{}, { shape: { count: 1 } }]);
});

it("collects which keywords refused each result", async () => {
  const { answer, collector, kept } = await collecting();
  for (const sum of [1, -1, -2]) await answer("add", `,"structuredContent":{"sum":${sum}}`);
  await collector.flush();
  const [{ shape } = { shape: undefined }] = kept;
  expect(shape).toMatchObject({ count: 3, passed: 1, refused: 2, told: 3 });
  expect([...(shape?.members.get("sum")?.broken ?? [])]).toEqual([["minimum", 2]]);
});

it("collects nothing if nothing is checked", async () => {
  const { answer, collector, kept } = await collecting("off");
  await answer("add", ',"structuredContent":{"sum":1}');
  await collector.flush();
  expect(kept).toEqual([]);
});

it("logs that results cannot be stored, and continues", async () => {
  const { answer, collector, lines, fail } = await collecting("strict");
  fail();
  await answer("add", ',"structuredContent":{"sum":1}');
  await collector.close();
  expect(lines).toEqual(["the shapes of results could not be stored"]);
});
