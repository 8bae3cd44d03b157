import { takeSteps } from "@touchstone/core";
import { describe, expect, it } from "vitest";
import type { AdaptSettings } from "../policy/settings.ts";
import { adaptSteps, viewOf } from "./adapter.ts";

const ALL: AdaptSettings = {
  unusableTools: "leave_out",
  outputSchema: "drop_unusable",
  pages: "pass",
  for: ["openai-strict", "anthropic", "bedrock", "gemini-openapi", "vscode"],
  steps: ["same", "narrower", "wider"],
  mirrorContent: false,
  descriptions: { max: 1024, stripHidden: true },
};

type Json = Record<string, unknown>;
const nested = (levels: number): Json =>
  levels === 0 ? { const: "x" } : { type: "object", properties: { a: nested(levels - 1) } };
const wide = (names: number): Json => ({
  type: "object",
  properties: Object.fromEntries(
    Array.from({ length: names }, (_, i) => [`n${i}`, { const: "x" }]),
  ),
});
const doubling = (levels: number): Json => ({
  type: "object",
  properties: { a: { $ref: "#/$defs/d0" } },
  $defs: Object.fromEntries(
    Array.from({ length: levels }, (_, i) => [
      `d${i}`,
      i === levels - 1
        ? { const: "x" }
        : { properties: { l: { $ref: `#/$defs/d${i + 1}` }, r: { $ref: `#/$defs/d${i + 1}` } } },
    ]),
  ),
});

describe("adaptSteps", () => {
  it.each<[string, unknown]>([
    ["deep", nested(300)],
    ["deeper than any check", nested(1_200)],
    ["wide", wide(400)],
    ["references that double", doubling(30)],
    ["a cycle", { type: "object", properties: { a: { $ref: "#" }, b: { const: "x" } } }],
    ["slow patterns", { type: "object", patternProperties: { "^(a+)+$": { const: "x" } } }],
    [
      "items in items",
      {
        type: "object",
        properties: {
          a: {
            type: "array",
            items: { type: "array", items: { const: "x" }, minItems: 12 },
            minItems: 12,
          },
        },
      },
    ],
    [
      "a list of 500 branches",
      {
        type: "object",
        properties: { a: { oneOf: Array.from({ length: 500 }, (_, i) => ({ const: `v${i}` })) } },
      },
    ],
    [
      "keys of the prototype",
      JSON.parse(
        '{"type":"object","properties":{"__proto__":{"const":"x"},"constructor":{"const":"y"}}}',
      ),
    ],
  ])("returns a tool that is JSON, or none, for a schema that is %s", (_, inputSchema) => {
    const text = Buffer.from(JSON.stringify({ name: "t", inputSchema, outputSchema: inputSchema }));
    let steps = 0;
    const counted = function* () {
      const all = adaptSteps(text, viewOf(ALL, undefined), { isStrict: true });
      for (;;) {
        const step = all.next();
        if (step.done === true) return step.value;
        steps += 1;
        yield;
      }
    };
    const { text: made } = takeSteps(counted());
    if (made !== undefined) expect(JSON.parse(Buffer.from(made).toString())).toHaveProperty("name");
    expect(steps).toBeLessThan(20_000);
  });

  it("reads a tool of megabytes in many steps", () => {
    const text = Buffer.from(JSON.stringify({ name: "t", inputSchema: wide(40_000) }));
    const all = adaptSteps(text, viewOf(ALL, undefined), { isStrict: true });
    let steps = 0;
    for (let step = all.next(); step.done !== true; step = all.next()) steps += 1;
    // Without rewrites: each looks at a few hundred parts, or at some ten thousand bytes.
    expect(steps).toBeGreaterThan(100);
  });

  it.each(["", "{", "[]", "nul", '{"name":"t"', "\u0000", '{"name":"t","inputSchema":'])(
    "never throws: %j",
    (text) => {
      const { text: made, changes } = takeSteps(
        adaptSteps(Buffer.from(text), viewOf(ALL, undefined), { isStrict: true }),
      );
      expect([made, changes.length]).toEqual([undefined, 1]);
    },
  );
});
