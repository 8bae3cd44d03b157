import { type Check, compileDeclared } from "@touchstone/core/advanced";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { CallStep } from "./call-step.ts";

const SCHEMA = compileDeclared({ value: { maxProperties: 1 } });
const NO_STEPS = (function* (): Generator<void, undefined, void> {})();

/** Refuses calls of one tool, warns of another, and checks the arguments of a third. */
const quiet: CallStep = {
  name: "pin",
  isOn: () => true,
  check({ toolName, frame }) {
    const range = frame.range("/params/arguments");
    if (toolName !== "checked" || range === undefined) return undefined;
    const text = frame.bytes.subarray(range.start, range.end);
    return { schema: SCHEMA, text, ahead: NO_STEPS };
  },
  refuse({ toolName, call }, check: Check | undefined) {
    if (call === undefined) return undefined;
    const isRefused = toolName === "refused" || check?.valid === false;
    if (!isRefused && toolName !== "noted") return undefined;
    return {
      decision: isRefused ? "blocked" : "warning",
      mode: isRefused ? "strict" : "warn",
      issues: check?.errors ?? [
        { path: "", message: "it is loud", rule: "policy", keyword: "quiet" },
      ],
      reason: () => "it is loud",
      status: "denied",
      error: (shown) => ({ as: "tool error", text: `${shown} is loud` }),
    };
  },
};

let harness: typeof import("../pipeline/testing/harness.ts");

beforeAll(async () => {
  vi.resetModules();
  vi.doMock("./pin/call-step.ts", () => ({ pinCallStep: quiet }));
  harness = await import("../pipeline/testing/harness.ts");
});

afterAll(() => {
  vi.doUnmock("./pin/call-step.ts");
  vi.resetModules();
});

describe("a feature that refuses calls", () => {
  const table: readonly [string, object, string, string][] = [
    ["refused", {}, "blocked", "denied"],
    ["noted", {}, "warning", ""],
    ["other", {}, "allowed", ""],
    ["checked", { a: 1 }, "allowed", ""],
    ["checked", { a: 1, b: 2 }, "blocked", "denied"],
  ];
  it.each(table)("is asked about each call: %s %o", async (tool, args, decision, status) => {
    const { all, call, Harness, parse } = harness;
    const h = new Harness({ settings: all("off") });
    await h.list([{ name: tool, inputSchema: { type: "object" } }]);
    const message = call(7, tool, JSON.stringify(args));
    const { onward, back } = await h.client(message);
    expect(onward === undefined).toBe(decision === "blocked");
    const [answer] = back ?? [];
    expect(answer && parse(answer)).toEqual(
      decision === "blocked"
        ? {
            jsonrpc: "2.0",
            id: 7,
            result: { content: [{ type: "text", text: `${tool} is loud` }], isError: true },
          }
        : undefined,
    );
    const decisions = h.records("policy_decision");
    expect(decisions.map((record) => record.decision)).toEqual(
      decision === "allowed" ? [] : [decision],
    );
    const calls = h.records("tool_call");
    expect(calls.map((record) => record.status)).toEqual(status === "" ? [] : [status]);
  });
});
