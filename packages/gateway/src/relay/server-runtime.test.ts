import { SchemaCache } from "@touchstone/core";
import { describe, expect, it } from "vitest";
import { MemoryLog } from "../pipeline/testing/harness.ts";
import { DEFAULT_SETTINGS } from "../policy/settings.ts";
import { createLogger } from "../util/log.ts";
import { ServerRuntime } from "./server-runtime.ts";

const runtime = (): ServerRuntime =>
  new ServerRuntime(
    { name: "srv", settings: DEFAULT_SETTINGS, tools: new Map() },
    {
      activity: new MemoryLog(),
      contracts: {
        replace: async () => [],
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
