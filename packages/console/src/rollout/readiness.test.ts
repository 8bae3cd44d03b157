import type { DirectionRollout, ServerDetail, ToolRollout } from "@touchstone/gateway/api";
import { expect, it } from "vitest";
import { modesForSwitch, readinessOf } from "./readiness.ts";

const NO_COUNTS = {
  ...{ checked: 0, would_block: 0, excused: 0, set_elsewhere: false },
  ...{ not_checked: 0, other_settings: 0, not_known: 0 },
} as const;
const of = (
  state: DirectionRollout["state"],
  reason?: NonNullable<DirectionRollout["reason"]>,
): DirectionRollout => ({ state, text: state, ...NO_COUNTS, ...(reason && { reason }) });
const SAFE = of("safe");
const OPEN = of("cannot_be_checked", "undeclared");
const evidence = (
  tool: string,
  calls: number,
  [input, output, protocol]: readonly [DirectionRollout, DirectionRollout, DirectionRollout],
  server: string | null = "a",
): ToolRollout => ({ server, tool, calls, policy: 0, input, output, protocol });
const warn = { input: "warn", output: "warn", protocol: "warn" } as const;
const strict = { input: "strict", output: "strict", protocol: "strict" } as const;
const tool = (name: string, modes: object = warn) => ({ tool: name, modes, own: {} });

it("says for each tool whether strict is safe in all directions", () => {
  const servers = [
    {
      name: "a",
      contracts: [
        ...[tool("fine"), tool("bad"), tool("unchecked"), tool("broken"), tool("open")],
        ...[tool("done", strict), tool("half", { ...strict, output: "warn" }), tool("new")],
      ],
      unlisted: [tool("gone")],
    },
  ] as unknown as readonly ServerDetail[];
  const made = readinessOf(
    [
      evidence("fine", 7, [SAFE, SAFE, SAFE]),
      evidence("bad", 9, [SAFE, of("would_block"), SAFE]),
      evidence("unchecked", 8, [SAFE, of("not_checked"), SAFE]),
      evidence("broken", 6, [SAFE, of("cannot_be_checked", "uncompilable"), SAFE]),
      evidence("open", 5, [SAFE, OPEN, SAFE]),
      evidence("half", 4, [of("strict"), SAFE, of("strict")]),
      evidence("done", 3, [of("strict"), of("strict"), of("strict")]),
      evidence("away", 2, [SAFE, SAFE, SAFE], "b"),
      evidence("nothing", 1, [OPEN, OPEN, OPEN]),
      evidence("nobody", 1, [SAFE, SAFE, SAFE], null),
    ],
    servers,
  );
  expect(made.map((each) => [each.tool, each.state, each.calls])).toEqual([
    ["fine", "ready", 7],
    ["open", "ready", 5],
    ["half", "ready", 4],
    ["away", "ready", 2],
    ["nobody", "ready", 1],
    ["bad", "violations", 9],
    ["unchecked", "unknown", 8],
    ["broken", "unknown", 6],
    ["nothing", "unknown", 1],
    ["gone", "unknown", 0],
    ["new", "unknown", 0],
    ["done", "strict", 3],
  ]);
  const found = (name: string) => made.find((each) => each.tool === name);
  expect(found("away")?.modes).toBeUndefined();
  expect(found("nobody")?.modes).toBeUndefined();
  expect(found("gone")?.input).toEqual({ ...of("no_such_tool"), text: "no such tool" });
  expect(found("new")?.input).toEqual({ ...of("not_checked"), text: "not checked: 0 calls" });
});

it("follows the newest call of a tool whose settings are not those of the file", () => {
  const elsewhere = (state: DirectionRollout["state"]): DirectionRollout => ({
    ...of(state),
    set_elsewhere: true,
  });
  const [done, safe] = [elsewhere("strict"), elsewhere("safe")];
  const servers = [
    { name: "a", contracts: [tool("strict"), tool("warned", strict)], unlisted: [] },
  ] as unknown as readonly ServerDetail[];
  const made = readinessOf(
    [evidence("strict", 2, [done, done, done]), evidence("warned", 1, [safe, safe, safe])],
    servers,
  );
  expect(made.map((each) => [each.tool, each.state])).toEqual([
    ["warned", "ready"],
    ["strict", "strict"],
  ]);
});

it.each([
  ["on", true, warn, strict],
  ["off, below a server that warns", false, warn, { input: null, output: null, protocol: null }],
  [
    "off, below one that is off",
    false,
    { input: "off", output: "off", protocol: "off" },
    { input: null, output: null, protocol: null },
  ],
  ["off, below a server that is strict", false, strict, warn],
  [
    "off, below one that is half strict",
    false,
    { ...warn, output: "strict" },
    { input: null, output: "warn", protocol: null },
  ],
  ["off, of a server that is gone", false, {}, { input: null, output: null, protocol: null }],
] as const)("switches a tool %s", (_, isStrict, above, modes) => {
  expect(modesForSwitch(isStrict, above)).toEqual(modes);
});
