import { describe, expect, it } from "vitest";
import type { Mode } from "../settings/validation.ts";
import { ADD, all, call, Harness, parse } from "./testing/harness.ts";

const answer = (inside: string): string =>
  `{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{"sum":[${inside}]}}}`;
/** Valid wherever the message itself is checked, but invalid JSON in the part that only the tool's schema checks. */
const ODD = answer(`"${"x".repeat(10_000)}" 1`);
const GOOD = answer(`"${"x".repeat(10_000)}",1`);

async function called(mode: Mode, tools: Record<string, ReturnType<typeof all>> = {}) {
  const h = new Harness({ settings: all(mode), tools });
  await h.list([ADD]);
  await h.client(call(1, "add", '{"a":1}'));
  return h;
}

describe("a large response", () => {
  it("is forwarded unread if nothing checks it", async () => {
    for (const text of [ODD, GOOD]) {
      const h = await called("off");
      const frame = h.read(text);
      expect((await h.server(frame)).onward).toBe(frame.bytes);
      const bytes_out = frame.bytes.length;
      expect(h.records("tool_call")).toMatchObject([{ status: "success", bytes_out }]);
    }
  });

  it("becomes an error if it is cut off, even if nothing checks it", async () => {
    const h = await called("off");
    const { onward } = await h.server(GOOD.slice(0, -2));
    expect(parse(onward)).toMatchObject({ id: 1, error: { code: -32603 } });
    expect(h.pipeline.pending).toBe(0);
  });

  it.each([
    ["the server", "warn", {}],
    ["its tool", "off", { add: all("warn") }],
  ] as const)("is read completely if %s is checked", async (_what, mode, tools) => {
    const h = await called(mode, tools);
    const { onward } = await h.server(ODD);
    expect(parse(onward)).toMatchObject({ id: 1, error: { code: -32603 } });
  });

  it("does not keep a large request from being read completely", async () => {
    const h = await called("off");
    const odd = call(2, "add", `{"a":["${"x".repeat(10_000)}" 1]}`);
    const { back } = await h.client(odd);
    expect(back?.map(parse)).toMatchObject([{ id: 2, error: { code: -32700 } }]);
  });

  it("is read completely without a pending call", async () => {
    const h = new Harness({ settings: all("off") });
    expect(h.read(ODD).kind).toBe("invalid");
  });
});

describe("a large result of a tool with an output schema", () => {
  const text = "x".repeat(5_000);
  const STATS = {
    ...ADD,
    name: "stats",
    outputSchema: { type: "object", properties: { note: { type: "string" }, n: { minimum: 0 } } },
  };
  const result = (n: number): string =>
    `"result":{"content":[],"structuredContent":{"note":"${text}","n":${n}}}`;

  async function asked(tool = "stats", mode: Mode = "warn") {
    const h = new Harness({ settings: all(mode) });
    await h.list([STATS, { name: "open", inputSchema: { type: "object" } }]);
    await h.client(call(1, tool, '{"a":1}'));
    return h;
  }

  it.each([
    ["in front of its id", `{${result(1)},"jsonrpc":"2.0","id":1}`],
    ["behind its id", `{"jsonrpc":"2.0","id":1,${result(1)}}`],
  ])("is checked in the same pass that reads it, with the result %s", async (_, answer) => {
    const h = await asked();
    const frame = h.read(answer);
    expect(frame.scan.accepted).toBeDefined();
    expect((await h.server(frame)).onward).toBe(frame.bytes);
    expect(h.records("tool_call")).toMatchObject([{ status: "success", outcome: "pass" }]);
  });

  it("is recorded as a violation if it violates the schema", async () => {
    const h = await asked();
    const frame = h.read(`{"jsonrpc":"2.0","id":1,${result(-1)}}`);
    expect(frame.scan.accepted).toBeUndefined();
    expect((await h.server(frame)).onward).toBe(frame.bytes);
    expect(h.records("tool_call")).toMatchObject([{ status: "warning", outcome: "violation" }]);
  });

  it.each([
    ["has none", "open", "warn", 1],
    ["is not checked", "stats", "off", 1],
    ["is another request's", "stats", "warn", 2],
  ] as const)("is checked after reading for a schema that %s", async (_, tool, mode, id) => {
    const h = await asked(tool, mode);
    const frame = h.read(`{"jsonrpc":"2.0","id":${id},${result(1)}}`);
    expect(frame.kind).toBe("response");
    expect(frame.scan.accepted).toBeUndefined();
  });

  it("is checked by its own schema even if another request is older", async () => {
    const h = await asked();
    await h.client(call(2, "open", "{}"));
    await h.client(call(3, "stats", "{}"));
    for (const id of [3, 2]) {
      const { scan } = h.read(`{"jsonrpc":"2.0","id":${id},${result(1)}}`);
      expect(scan.accepted !== undefined).toBe(id === 3);
    }
  });
});
