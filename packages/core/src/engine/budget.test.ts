import { describe, expect, it } from "vitest";
import { type Budget, BudgetError, spendSteps } from "../keywords/run.ts";
import { testContext } from "./testing/context.ts";
import { type Context, explain, isValid } from "./testing/interpret.ts";
import { plainGraph } from "./testing/plain-graph.ts";

const STEPS = 200_000;

/** Nested `anyOf`s, each with the next one twice: the innermost schema is applied 2^n times. */
function doubling(levels: number): unknown {
  const $defs: Record<string, unknown> = { [`d${levels}`]: { type: "null" } };
  for (let i = 0; i < levels; i++) {
    const next = { $ref: `#/$defs/d${i + 1}` };
    $defs[`d${i}`] = { anyOf: [next, next] };
  }
  return { $ref: "#/$defs/d0", $defs };
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = { a: value };
  return value;
}

const twice = { properties: { a: { $ref: "#" } } };
const objects = Array.from({ length: 100_000 }, (_, i) => ({ id: i }));

const HOSTILE: readonly (readonly [string, unknown, unknown])[] = [
  ["a doubling chain of anyOf", doubling(60), "x"],
  [
    "doubling with the depth of the value",
    { allOf: [twice, twice], not: { type: "null" } },
    nested(40),
  ],
  ["a branch that is itself", { anyOf: [{ $ref: "#" }] }, 1],
  ["two branches that are itself", { anyOf: [{ $ref: "#" }, { $ref: "#" }] }, 1],
  ["a negated reference to itself", { not: { $ref: "#" } }, 1],
  ["a conditional reference to itself", { if: { $ref: "#" }, else: false }, 1],
  ["a branch that leads to itself", { oneOf: [{ $ref: "#" }, { type: "string" }] }, 1],
  [
    "a schema of names that leads to itself",
    { propertyNames: { $ref: "#/$defs/a" }, $defs: { a: { $ref: "#/$defs/a" } } },
    { a: 1 },
  ],
  ["uniqueItems on many objects", { uniqueItems: true }, objects],
  [
    "uniqueItems on many numbers",
    { uniqueItems: true },
    objects
      .map((_, i) => i)
      .concat(
        objects.map((_, i) => i + 0.5),
        [0],
      ),
  ],
  ["a constant beside a large value", { anyOf: [{ const: [] }, { const: {} }] }, objects],
  [
    "many patterns on many names",
    { patternProperties: { "^a": true, "^b": true } },
    Object.fromEntries(objects.map(({ id }) => [`k${id}`, 1])),
  ],
  [
    "a long text in many branches",
    { anyOf: Array.from({ length: 50 }, () => ({ pattern: "^b$" })) },
    "a".repeat(1_000_000),
  ],
  [
    "unevaluated items behind many contains",
    {
      anyOf: Array.from({ length: 20 }, () => ({ contains: { type: "object" } })),
      unevaluatedItems: false,
    },
    objects,
  ],
  ["a value deeper than the stack", { properties: { a: { $ref: "#" } } }, nested(10_000)],
  ["a constant beside a deep value", { const: { b: 1 } }, nested(300_000)],
];

function left(context: Context): number {
  return context.budget.steps;
}

describe("the step budget of a run", () => {
  it.each(HOSTILE)("stops %s without a result", (_name, schema, value) => {
    const graph = plainGraph(schema);
    const first = testContext(STEPS);
    const second = testContext(STEPS);
    expect(() => isValid(graph, value, first)).toThrow(BudgetError);
    expect(() => isValid(graph, value, second)).toThrow(BudgetError);
    expect(left(second)).toBe(left(first));
    expect(() => explain(graph, value, testContext(STEPS), { maxIssues: 10 })).toThrow(BudgetError);
  });

  it("is spent in proportion to the value", () => {
    const graph = plainGraph({
      items: { type: "object", required: ["id"], properties: { id: { minimum: 0 } } },
    });
    const cost = (count: number): number => {
      const context = testContext(10_000_000);
      expect(isValid(graph, objects.slice(0, count), context)).toBe(true);
      return 10_000_000 - left(context);
    };
    expect(cost(2000) - cost(1000)).toBe(cost(1000) - cost(0));
    expect(cost(1000)).toBeLessThan(20_000);
  });

  it("does not depend on the length of an enum", () => {
    const cost = (count: number): number => {
      const context = testContext(STEPS);
      const graph = plainGraph({ enum: Array.from({ length: count }, (_, i) => `v${i}`) });
      expect(isValid(graph, "v0", context)).toBe(true);
      return STEPS - left(context);
    };
    expect(cost(100_000)).toBe(cost(1));
  });

  it("is shared by result and explanation", () => {
    const graph = plainGraph({ type: "string" });
    const context = testContext(2);
    expect(isValid(graph, 1, context)).toBe(false);
    expect(explain(graph, 1, context, { maxIssues: 1 }).total).toBe(1);
    expect(() => isValid(graph, 1, context)).toThrow(BudgetError);
  });

  it("limits the depth of application", () => {
    const graph = plainGraph({ properties: { a: { $ref: "#" } } });
    const shallow: Context = { ...testContext(), maxDepth: 20 };
    expect(isValid(graph, nested(19), shallow)).toBe(true);
    expect(() => isValid(graph, nested(21), shallow)).toThrow("more than 20 deep");
    expect(isValid(graph, nested(600), testContext())).toBe(true);
  });

  it("passes on exceptions of the context's functions", () => {
    const patterns = (): never => {
      throw new TypeError("no such pattern");
    };
    const graph = plainGraph({ pattern: "a" });
    expect(() => isValid(graph, "a", { ...testContext(), patterns })).toThrow(TypeError);
  });
});

describe("spend", () => {
  it("throws below zero, and keeps throwing", () => {
    const budget: Budget = { steps: 3 };
    spendSteps(budget, 3);
    expect(budget.steps).toBe(0);
    expect(() => spendSteps(budget, 1)).toThrow(BudgetError);
    expect(budget.steps).toBe(0);
    expect(() => spendSteps(budget, Number.NaN)).toThrow(BudgetError);
  });
});
