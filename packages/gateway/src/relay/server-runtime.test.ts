import { SchemaCache } from "@touchstone/core/advanced";
import { readFrame } from "@touchstone/protocol";
import { describe, expect, it } from "vitest";
import type { ContractStore } from "../../../records/src/contracts/store.ts";
import { createLogger } from "../../../util/src/log.ts";
import { MemoryLog } from "../pipeline/testing/harness.ts";
import { DEFAULT_SETTINGS } from "../settings/validation.ts";
import { ServerRuntime } from "./server-runtime.ts";

const runtime = (replace: ContractStore["replace"] = async () => []): ServerRuntime =>
  new ServerRuntime(
    { name: "srv", settings: DEFAULT_SETTINGS, tools: new Map() },
    {
      activity: new MemoryLog(),
      contracts: {
        replace,
        used: async () => {},
        tool: async () => undefined,
        toolNames: async () => new Set<string>(),
      },
      cache: new SchemaCache(),
      log: createLogger(() => {}, "silent"),
    },
  );

describe("tool lists of a conversation", () => {
  it.each([
    ["its own", (r: ServerRuntime) => r.ownConversation("s")],
    ["shared", (r: ServerRuntime) => r.sharedConversation("secret")],
  ])("are kept per supported revision, whatever a client names: %s", (_name, start) => {
    const { contracts } = start(runtime());
    expect(contracts("2025-11-25")).toBe(contracts("2025-11-25"));
    expect(contracts("2025-11-25")).not.toBe(contracts("2026-07-28"));
    expect(contracts("made up")).toBe(contracts("made up too"));
    expect(contracts("made up").scope.revision).toBe("");
  });

  it("are kept per authorization, of which only a hash is stored", () => {
    const r = runtime();
    const scope = (who?: string) => r.sharedConversation(who).contracts("2026-07-28");
    expect(scope("a")).toBe(scope("a"));
    expect(scope("a")).not.toBe(scope("b"));
    expect(scope("a")).not.toBe(scope());
    expect(JSON.stringify(scope("hunter2").scope)).not.toContain("hunter2");
  });
});

describe("a list that is being stored", () => {
  it("is waited for, so that its records stay open", async () => {
    const steps: string[] = [];
    let begun = (): void => {};
    let stored = (): void => {};
    const storing = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const disk = new Promise<void>((resolve) => {
      stored = resolve;
    });
    const r = runtime(async () => {
      begun();
      await disk;
      steps.push("stored");
      throw new Error("the database connection is not open");
    });
    const list = JSON.stringify({ jsonrpc: "2.0", id: 1, result: { tools: [{ name: "a" }] } });
    const lesson = r
      .ownConversation("s")
      .contracts("")
      .learn(readFrame(Buffer.from(list)), undefined);
    await storing;
    const learned = r.learned().then(() => steps.push("learned"));
    stored();
    await Promise.all([lesson, learned]);
    expect(steps).toEqual(["stored", "learned"]);
    await r.learned();
  });
});
