import type { ServerDetail } from "@touchstone/gateway/api";
import { expect, it } from "vitest";
import { readinessOf, readToolCalls } from "./readiness.ts";

const offence = (server: string, tool: string, rule: string, calls: number) => ({
  ...{ server, tool, rule, calls },
  direction: "input",
  outcome: "violation",
});
const warn = { input: "warn", output: "warn" } as const;
const tool = (name: string, modes: object = warn) => ({ tool: name, modes, own: {} });

it("says for each tool whether strict is safe, and why", () => {
  const servers = [
    {
      name: "a",
      contracts: [
        tool("fine"),
        tool("bad"),
        tool("done", { input: "strict", output: "strict" }),
        tool("half", { input: "strict", output: "warn" }),
      ],
      unlisted: [tool("gone")],
    },
  ] as unknown as readonly ServerDetail[];
  const called = readToolCalls({
    tools: [
      { server: "a", tool: "fine", calls: 7 },
      { server: "a", tool: "bad", calls: 9 },
      { server: "a", tool: "half", calls: 1 },
      { server: "b", tool: "away", calls: 2 },
      { tool: 5 },
    ],
  });
  const made = readinessOf(
    called ?? [],
    [
      offence("a", "bad", "type", 2),
      offence("a", "bad", "type", 1),
      offence("a", "bad", "extra", 4),
    ],
    servers,
  );
  expect(made.map((each) => [each.tool, each.state, each.calls, each.violations])).toEqual([
    ["fine", "ready", 7, []],
    ["away", "ready", 2, []],
    ["half", "ready", 1, []],
    [
      "bad",
      "violations",
      9,
      [
        ["extra", 4],
        ["type", 3],
      ],
    ],
    ["gone", "unused", 0, []],
    ["done", "strict", 0, []],
  ]);
  expect(made.find((each) => each.tool === "away")?.modes).toBeUndefined();
});

it.each([undefined, null, [], {}, { tools: 5 }])("ignores %j", (answer) => {
  expect(readToolCalls(answer)).toBeUndefined();
});
