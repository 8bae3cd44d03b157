import { CheckPool } from "@touchstone/core/node";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eachOf, long } from "../../../core/src/testing/sample.ts";
import { all, call, Harness, type Json, modes, parse, structured } from "./testing/harness.ts";

/** Schemas whose check takes more than a few milliseconds on many items. */
const TOOL = {
  name: "unique",
  inputSchema: { type: "object", properties: { list: { uniqueItems: true } } },
  outputSchema: { type: "object", properties: { list: { uniqueItems: true } } },
};
const list = Array.from({ length: 30_000 }, (_, id) => ({ id, name: `n${id}` }));
const HEAVY = JSON.stringify({ list });
const WRONG = JSON.stringify({ list: [...list, list[0]] });

let pool: CheckPool;
let busy: Promise<unknown>[];

/** A harness with a tool, whose check threads are all occupied until `busy` settles. */
async function withTool(settings: ReturnType<typeof all>): Promise<Harness> {
  const h = new Harness({ settings, later: (client) => pool.laterFor(client) });
  await h.list([TOOL]);
  return h;
}

function fill(client: string): void {
  const schema = new TextEncoder().encode(JSON.stringify(TOOL.inputSchema));
  const job = { schema, compile: {}, input: HEAVY, options: {} };
  busy = [1, 2].map(() => pool.run(job, client));
}

beforeEach(() => {
  pool = new CheckPool({ threads: 1, maxQueued: 1 });
  busy = [];
});
afterEach(async () => {
  await Promise.all(busy);
  await pool.close();
});

const outcomeOf = (message: Json | undefined): object => ({ ...(message as object) });

describe("a long check", () => {
  it("runs on a thread, with the same result", async () => {
    const h = await withTool(all("strict"));
    expect((await h.client(call(1, "unique", HEAVY))).onward).toBeDefined();
    const { onward, back } = await h.client(call(2, "unique", WRONG));
    expect(onward).toBeUndefined();
    expect(parse(back?.[0])).toMatchObject({ id: 2, result: { isError: true } });
    expect(h.records("tool_call")).toMatchObject([{ status: "blocked", outcome: "violation" }]);
  });
});

describe("arguments whose check finds no room in the queue", () => {
  it("are rejected in strict with advice to retry", async () => {
    const h = await withTool(all("strict"));
    fill("other");
    const { onward, back } = await h.client(call(1, "unique", HEAVY));
    expect(onward).toBeUndefined();
    expect(outcomeOf(parse(back?.[0]))).toMatchObject({
      id: 1,
      error: { code: -32603, message: expect.stringMatching(/check queue full.*try again/) },
    });
    expect(h.records("policy_decision")).toMatchObject([
      { decision: "blocked", outcome: "unknown", reason: "check queue full" },
    ]);
    expect(h.records("tool_call")).toMatchObject([
      { status: "rejected", outcome: "unknown", reason: "check queue full" },
    ]);
    await Promise.all(busy);
    expect((await h.client(call(2, "unique", HEAVY))).onward).toBeDefined();
  });

  it("are forwarded in warn, byte for byte, with a record", long, async () => {
    const h = await withTool(modes());
    fill("other");
    const frame = h.read(call(1, "unique", WRONG));
    expect((await h.client(frame)).onward).toBe(frame.bytes);
    expect(h.records("policy_decision")).toMatchObject([
      {
        ...{ decision: "warning", status: "warning", outcome: "unknown" },
        reason: "check queue full",
      },
    ]);
  });

  it("are not delayed by another client that fills the queue", long, async () => {
    pool = new CheckPool({ threads: 1, maxQueued: 4 });
    const h = await withTool(all("strict"));
    const schema = new TextEncoder().encode(JSON.stringify(TOOL.inputSchema));
    const job = { schema, compile: {}, input: HEAVY, options: {} };
    const ends = Array.from({ length: 6 }, () => pool.run(job, "greedy").catch(() => "refused"));
    expect((await h.client(call(1, "unique", HEAVY))).onward).toBeDefined();
    expect(await Promise.all(ends)).toContain("refused");
  });
});

describe("a result whose check finds no room in the queue", () => {
  eachOf(
    [
      ["strict", "rejected"],
      ["warn", "warning"],
    ] as const,
    1,
  )("in %s: %s", async (mode, status) => {
    const h = await withTool(modes({ input: "off", output: mode }));
    await h.client(call(1, "unique", "{}"));
    fill("other");
    const answer = h.read(structured(1, HEAVY));
    const { onward } = await h.server(answer);
    if (mode === "warn") expect(onward).toBe(answer.bytes);
    else expect(parse(onward)).toMatchObject({ id: 1, result: { isError: true } });
    expect(h.records("tool_call")).toMatchObject([
      { status, outcome: "unknown", reason: "check queue full" },
    ]);
  });
});
