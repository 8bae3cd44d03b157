import { expect, it } from "vitest";
import { ADD, all, call, Harness, modes, parse, structured } from "./testing/harness.ts";

const keyLimits = { object: 100, message: 1_000 };
const many = (count: number): string =>
  `{${Array.from({ length: count }, (_, index) => `"k${index}":1`).join()}}`;
const WIDE = { name: "wide", inputSchema: { type: "object" }, outputSchema: { type: "object" } };

it.each([
  ["one object has too many keys", many(101), "An object has more than 100 keys"],
  [
    "the message has",
    `{"x":[${Array(20).fill(many(60)).join()}]}`,
    "The text has more than 1000 keys",
  ],
])("blocks a message with too many keys in strict if %s", async (_, meta, message) => {
  const h = new Harness({ settings: all("strict"), keyLimits });
  const ping = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":${meta}}}`;
  const { onward, back } = await h.client(ping);
  expect(onward).toBeUndefined();
  expect(back?.map(parse)).toMatchObject([
    { id: 1, error: { message: expect.stringContaining(message) } },
  ]);
  expect(h.records("policy_decision")).toMatchObject([
    { decision: "blocked", issues: [{ rule: "guard", keyword: "maxKeys" }] },
  ]);
});

it("blocks too many keys when only arguments and results are checked", async () => {
  const settings = modes({ input: "strict", output: "strict", protocol: "off" });
  const h = new Harness({ settings, keyLimits });
  await h.list([WIDE, ADD]);
  const { back } = await h.client(call(1, "wide", many(101)));
  expect(back?.map(parse)).toMatchObject([{ id: 1, result: { isError: true } }]);
  await h.client(call(2, "wide", "{}"));
  const { onward } = await h.server(structured(2, many(101)));
  expect(parse(onward)).toMatchObject({ id: 2, result: { isError: true } });
  const guard = { guard: "maxKeys", limit: 100, actual: 101 };
  expect(h.records("policy_decision")).toMatchObject([
    { direction: "input", outcome: "guard", guard },
    { direction: "output", outcome: "guard", guard },
  ]);
});

it("forwards a message with too many keys in warn, byte for byte, with a record", async () => {
  const h = new Harness({ settings: all("warn"), keyLimits });
  await h.list([WIDE]);
  const frame = h.read(call(1, "wide", many(101)));
  expect((await h.client(frame)).onward).toBe(frame.bytes);
  const answer = h.read(structured(1, many(101)));
  expect((await h.server(answer)).onward).toBe(answer.bytes);
  const made = h.records("policy_decision");
  expect(new Set(made.map(({ decision }) => decision))).toEqual(new Set(["warning"]));
  expect(made.map(({ direction }) => direction)).toEqual(
    expect.arrayContaining(["input", "output"]),
  );
});

it.each(["off", "warn", "strict"] as const)(
  "refuses a message in %s whose own objects have too many keys to be read",
  async (mode) => {
    const h = new Harness({ settings: modes({ input: "warn", protocol: mode }), keyLimits });
    const more = `"params":{"_meta":${many(101)}}`;
    const { onward, back } = await h.client(`{"jsonrpc":"2.0","id":1,"method":"ping",${more}}`);
    expect(onward).toBeUndefined();
    expect(back?.map(parse)).toMatchObject([
      { id: 1, error: { message: expect.stringContaining("more than 100 keys") } },
    ]);
  },
);

it("forwards a message with exactly the allowed number of keys", async () => {
  const h = new Harness({ settings: all("strict"), keyLimits });
  await h.list([WIDE]);
  const frame = h.read(call(1, "wide", many(100)));
  expect((await h.client(frame)).onward).toBe(frame.bytes);
});
