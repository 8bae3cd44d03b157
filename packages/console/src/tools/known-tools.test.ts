import type { ResponseOf, ServerSummary } from "@touchstone/gateway/api";
import { expect, it } from "vitest";
import { knownTools } from "./known-tools.ts";

const modes = { input: "warn", output: "warn", protocol: "warn" } as const;
const server = (name: string, toolModes = {}): ServerSummary =>
  ({ name, modes, toolModes }) as unknown as ServerSummary;
const SERVERS = [server("a"), server("a:b", { find: { ...modes, input: "strict" } })];
const summaryWith = (tools: readonly object[], left: number) =>
  ({ tools, tools_left_out: left }) as unknown as ResponseOf<"summariseActivity">;
const CALLED = { server: "a", tool: "x", calls: 7, blocked: 2 };

it("finds the server of a tool, also if its name has a colon, and the tool's own mode", () => {
  const known = knownTools(SERVERS, undefined);
  expect(known.serverOf("a:x")).toBe("a");
  expect(known.serverOf("a:b:find")).toBe("a:b");
  expect(known.serverOf("c:x")).toBeUndefined();
  expect(known.of("a:b:find")).toEqual({ mode: "strict" });
  expect(known.of("a:b:toString")).toEqual({ mode: "warn" });
  expect(known.of("c:x")).toBeUndefined();
});

it("counts calls, and says 0 only if no tool was left out", () => {
  const whole = knownTools(SERVERS, summaryWith([CALLED], 0));
  expect(whole.of("a:x")).toEqual({ mode: "warn", calls: 7, blocked: 2 });
  expect(whole.of("a:y")).toEqual({ mode: "warn", calls: 0, blocked: 0 });
  expect(knownTools(SERVERS, summaryWith([CALLED], 1)).of("a:y")).toEqual({ mode: "warn" });
});
