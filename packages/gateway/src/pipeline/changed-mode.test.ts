import { expect, it } from "vitest";
import type { ContractStore } from "../../../records/src/contracts/store.ts";
import type { ValidationSettings } from "../settings/validation.ts";
import { ADD, all, bytesOf, call, deferred, Harness, result, toolList } from "./testing/harness.ts";

/** A store that holds back a list until it is released. */
function slowStore() {
  const reached = deferred<void>();
  const free = deferred<void>();
  const store: ContractStore = {
    async replace() {
      reached.resolve();
      await free.promise;
      return [];
    },
    used: async () => {},
    tool: async () => undefined,
    toolNames: async () => new Set(),
  };
  return { store, reached: reached.promise, free: () => free.resolve() };
}

it.each([
  ["warn", "strict"],
  ["strict", "off"],
  ["off", "strict"],
] as const)(
  "checks a call that begins in %s in that mode to its end, even after a change to %s",
  async (before, after) => {
    let mode: "off" | "warn" | "strict" = before;
    const h = new Harness({ settings: () => all(mode) });
    await h.list([ADD]);
    await h.client(call(1, "add", '{"a":1}'));
    mode = after;
    const frame = h.read(result(1, '{"content":[],"structuredContent":{"sum":"no"}}'));
    const { onward } = await h.server(frame);
    if (before === "strict") expect(onward).not.toBe(frame.bytes);
    else expect(onward).toBe(frame.bytes);
    const modes = h.records("policy_decision").map((record) => record.mode);
    expect(modes).toEqual(before === "off" ? [] : [before]);
  },
);

it.each([
  ["warn", "strict"],
  ["strict", "warn"],
  ["off", "strict"],
] as const)(
  "checks a call that was read in %s in that mode, even after a change to %s",
  async (before, after) => {
    let mode: "off" | "warn" | "strict" = before;
    const h = new Harness({ settings: () => all(mode) });
    await h.list([ADD]);
    const frame = h.read(call(1, "add", '{"a":"no","a":1}'));
    mode = after;
    const { onward } = await h.client(frame);
    if (before === "strict") expect(onward).toBeUndefined();
    else expect(onward).toBe(frame.bytes);
    const modes = h.records("policy_decision").map((record) => record.mode);
    expect(new Set(modes)).toEqual(new Set(before === "off" ? [] : [before]));
  },
);

it("does not apply a policy that came while a call waited for the tool list", async () => {
  let isDenied = false;
  const denied: ValidationSettings = {
    ...all("strict"),
    policy: { mode: "strict", levels: [{ level: "top", denyTools: ["add"] }] },
  };
  const h = new Harness({ settings: () => (isDenied ? denied : all("strict")) });
  const asked = deferred<void>();
  const listed = deferred<Uint8Array>();
  h.ask = () => {
    asked.resolve();
    return listed.promise;
  };
  const passed = h.client(call(1, "add", '{"a":1,"b":2}'));
  await asked.promise;
  isDenied = true;
  listed.resolve(bytesOf(result(7, JSON.stringify(toolList([ADD])))));
  expect((await passed).onward).toBeDefined();
  expect((await h.client(call(2, "add", '{"a":1,"b":2}'))).onward).toBeUndefined();
});

it("checks another response in the mode in which it came, even if the mode changes meanwhile", async () => {
  let mode: "warn" | "strict" = "warn";
  const { store, reached, free } = slowStore();
  const h = new Harness({ settings: () => all(mode), store });
  await h.client({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const frame = h.read(result(1, `{"tools":[${JSON.stringify(ADD)}],"a":1,"a":2}`));
  const passed = h.server(frame);
  await reached;
  mode = "strict";
  free();
  expect((await passed).onward).toBe(frame.bytes);
  expect(h.records("policy_decision")).toMatchObject([{ mode: "warn", decision: "warning" }]);
});
