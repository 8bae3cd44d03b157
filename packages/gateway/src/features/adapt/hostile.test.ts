import { runSteps } from "@touchstone/core/advanced";
import { type AdaptedTool, remainingObjections } from "@touchstone/protocol/lint";
import { describe, expect, it } from "vitest";
import { eachOf } from "../../../../core/src/testing/sample.ts";
import { type SlicePause, threadSlice } from "../../../../util/src/time-slice.ts";
import type { AdaptSettings } from "./adapt.ts";
import { adaptSteps, adaptViewFor, remainingObjectionsSoon } from "./adapter.ts";
import { ListTimeBudget } from "./list-time.ts";

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

/** Schemas that would each take seconds to adapt. */
const SLOW = ["wide", "references that double", "a list of 500 branches"];
const isQuick = ([name]: readonly [string, ...unknown[]]): boolean => !SLOW.includes(name);

describe("adaptSteps", () => {
  eachOf<[string, unknown]>(
    [
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
    ],
    isQuick,
  )("returns a tool that is JSON, or none, for a schema that is %s", (_, inputSchema) => {
    const text = Buffer.from(JSON.stringify({ name: "t", inputSchema, outputSchema: inputSchema }));
    let steps = 0;
    const counted = function* () {
      const all = adaptSteps(text, adaptViewFor(ALL, undefined), { isStrict: true });
      for (;;) {
        const step = all.next();
        if (step.done === true) return step.value;
        steps += 1;
        yield;
      }
    };
    const { text: made } = runSteps(counted());
    if (made !== undefined) expect(JSON.parse(Buffer.from(made).toString())).toHaveProperty("name");
    expect(steps).toBeLessThan(20_000);
  });

  const branches = (count: number): Json => ({
    type: "object",
    properties: { a: { oneOf: Array.from({ length: count }, (_, i) => ({ const: `v${i}` })) } },
  });
  /** Has little work to do: the thread must finish in time although other tests run at the same time. */
  const FEW: AdaptSettings = { ...ALL, for: ["openai-strict"] };
  eachOf<[string, unknown, Json?]>(
    [
      ["wide", wide(300)],
      ["references that double", doubling(70)],
      ["many branches", branches(250)],
      ["hidden characters", wide(40), { title: "a\u200b".repeat(2_000) }],
      ["too long for its schemas to be rewritten", wide(5_000)],
      ["a schema that cannot be used", { ...wide(300), required: 5 }],
      ["nothing to do", { type: "object" }, { description: "d".repeat(900), _meta: wide(700) }],
    ],
    isQuick,
  )("makes the same of a long tool on a thread: %s", async (_, inputSchema, more = {}) => {
    const pageText = (name: string): Buffer =>
      Buffer.from(JSON.stringify({ name, ...more, inputSchema, outputSchema: inputSchema }));
    const view = adaptViewFor(FEW, undefined);
    const waits: unknown[] = [];
    function* noted(): Generator<SlicePause, AdaptedTool, void> {
      const steps = adaptSteps(pageText("t"), view, { isStrict: true, mayWait: true });
      for (let step = steps.next(); ; step = steps.next()) {
        if (step.done === true) return step.value;
        waits.push(step.value);
        yield step.value;
      }
    }
    const apart = await threadSlice.take(noted());
    expect(waits).toEqual([expect.any(Promise)]);
    // Uses another text, because the result for the first one is cached.
    const here = runSteps(adaptSteps(pageText("u"), view, { isStrict: true }));
    const shown = ({ text, ...rest }: AdaptedTool) => ({
      ...rest,
      text: text && Buffer.from(text).toString().replace('"name":"t"', '"name":"u"'),
    });
    expect(shown(apart)).toEqual(shown(here));
    // A cached result is returned without a thread.
    const text = pageText("t");
    const again = runSteps(adaptSteps(text, view, { isStrict: true, mayWait: true }));
    expect(shown(again)).toEqual(shown(apart));
    if (shown(apart).text === pageText("u").toString()) expect(again.text).toBe(text);
  });

  it("leaves a long tool's schemas, with a record, once the time of its list is up", async () => {
    const text = Buffer.from(JSON.stringify({ name: "late", inputSchema: branches(700) }));
    const view = adaptViewFor(FEW, undefined);
    const time = new ListTimeBudget(0);
    const options = { isStrict: true, mayWait: true, time };
    const { changes, left } = await threadSlice.take(adaptSteps(text, view, options));
    expect(changes.at(-1)).toMatchObject({ isLeft: true, keyword: "for" });
    expect([left, time.wasShort]).toEqual([undefined, true]);
    const later = new ListTimeBudget(Number.POSITIVE_INFINITY);
    const made = await threadSlice.take(adaptSteps(text, view, { ...options, time: later }));
    expect(made.left).toBeDefined();
    expect(later.taken).toBeGreaterThan(0);
  });

  it("compares a long tool with what clients refuse on the thread", async () => {
    const text = Buffer.from(JSON.stringify({ name: "t", inputSchema: doubling(200) }));
    const takers = ["openai-strict"] as const;
    expect(await remainingObjectionsSoon(text, takers)).toEqual(
      runSteps(remainingObjections(text, takers)),
    );
    expect(text.length).toBeGreaterThan(8_192);
  });

  it("reads a tool of megabytes in many steps", () => {
    const text = Buffer.from(JSON.stringify({ name: "t", inputSchema: wide(40_000) }));
    const all = adaptSteps(text, adaptViewFor(ALL, undefined), { isStrict: true });
    let steps = 0;
    for (let step = all.next(); step.done !== true; step = all.next()) steps += 1;
    // Without rewrites, each step reads a few hundred parts or some ten thousand bytes.
    expect(steps).toBeGreaterThan(100);
  });

  it.each(["", "{", "[]", "nul", '{"name":"t"', "\u0000", '{"name":"t","inputSchema":'])(
    "never throws: %j",
    (text) => {
      const { text: made, changes } = runSteps(
        adaptSteps(Buffer.from(text), adaptViewFor(ALL, undefined), { isStrict: true }),
      );
      expect([made, changes.length]).toEqual([undefined, 1]);
    },
  );
});
