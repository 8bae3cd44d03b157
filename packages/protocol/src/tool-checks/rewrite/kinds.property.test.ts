import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  compileDeclared,
  isObject,
  type JsonObject,
  repairValue,
  runSteps,
} from "@touchstone/core/advanced";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eachOf, long, sample } from "../../../../core/src/testing/sample.ts";
import { sharedPath } from "../../../../core/src/testing/shared.ts";
import { BoundedWork } from "../../bounded-work.ts";
import { counterexampleCandidates, SEARCH_PAUSE } from "../../inclusion/aim.ts";
import { randomFrom, sampleInstance } from "../../inclusion/sample.ts";
import { type AdaptRules, adaptToolSteps } from "../adapt/adapt-tool.ts";
import { lintFor } from "../lint/providers/lint-for.ts";
import { PROVIDERS, type ProviderName } from "../lint/providers/provider.ts";
import { rewriteSchema, rewriteSchemaSteps } from "./rewrite-schema.ts";
import type { StepKind } from "./steps.ts";

const ALL: readonly StepKind[] = ["same", "narrower", "wider"];
const SAFE: readonly StepKind[] = ["same", "narrower"];

const rulesFor = (takers: readonly ProviderName[], kinds: readonly StepKind[]): AdaptRules => ({
  leaveOut: false,
  outputSchema: "pass",
  dropsBroken: true,
  takers,
  kinds,
  dropsNulls: takers.includes("openai-strict"),
  stripHidden: false,
});

interface Tool {
  readonly name: string;
  readonly inputSchema: JsonObject;
}

/** Yields objects that the rewritten schema may accept and the server's schema may refuse, and then random ones. */
function* tried(shown: JsonObject, own: JsonObject, seed: number): Generator<JsonObject> {
  const [from, to] = [shown, own].map((value) => compileDeclared({ value }).canonical);
  if (from !== undefined && to !== undefined) {
    let left = 150;
    const work = new BoundedWork(400_000);
    for (const value of counterexampleCandidates(from, to, { declaredOnly: false, work })) {
      if (value === SEARCH_PAUSE) continue;
      if (isObject(value)) yield value;
      left -= 1;
      if (left === 0) break;
    }
  }
  const random = randomFrom(seed);
  for (let at = 0; at < 100; at += 1) {
    const { value } = sampleInstance(at % 2 === 0 ? shown : own, random);
    if (isObject(value)) yield value;
  }
}

/**
 * Returns how many values the rewritten schema accepts. Checks that the server's schema accepts each of them as well,
 * once nulls are dropped.
 */
function accepted(own: JsonObject, shown: JsonObject, dropsNulls: boolean, seed: number): number {
  const [before, after] = [own, shown].map((value) => compileDeclared({ value }));
  let count = 0;
  for (const value of tried(shown, own, seed)) {
    if (after?.isValid(value) !== true) continue;
    count += 1;
    if (before?.isValid(value) === true) continue;
    const check = before?.validate(value);
    const repaired =
      dropsNulls && before !== undefined && check !== undefined
        ? repairValue({ schema: before, declared: own, value, check, repair: ["drop-nulls"] })
        : undefined;
    if (repaired === undefined) expect([value, shown, own]).toBe("accepted by the server");
  }
  return count;
}

/** Schemas with the constructs that the kinds of steps handle. */
const schemas = fc.letrec<{ leaf: JsonObject; tree: JsonObject }>((tie) => ({
  leaf: fc.constantFrom<JsonObject>(
    {},
    { type: "string", format: "uuid", minLength: 2 },
    { type: "string", pattern: "^(?=a)", maxLength: 3 },
    { type: ["string", "null"], enum: ["a", "", null] },
    { enum: [1, 2, 3, "x", null, true] },
    { const: 1 },
    { const: null },
    { type: "integer", exclusiveMinimum: 0, multipleOf: 2 },
    { type: "array", prefixItems: [{ type: "string" }, { type: "integer" }], items: false },
    { type: "array", contains: { const: 1 }, uniqueItems: true, items: { type: "integer" } },
    { type: "object", additionalProperties: { type: "integer" } },
    { type: "object", patternProperties: { "^x": { type: "string" } } },
    { type: "string", items: { type: "string" }, minItems: 1 },
    { $ref: "#/$defs/shared", description: "d" },
    { $ref: "#/$defs/shared", minProperties: 1 },
    { $ref: "#/$defs/loop" },
    { not: { type: "string" } },
    { properties: { a: true, b: false } },
  ),
  tree: fc.oneof(
    { depthSize: "small" },
    tie("leaf"),
    fc
      .tuple(tie("tree"), tie("tree"), fc.subarray(["a", "b", "c"]), fc.constantFrom(0, 1, 2, 3))
      .map(
        ([a, b, required, open]): JsonObject => ({
          type: "object",
          properties: { a, b },
          required,
          ...(open === 1 && { additionalProperties: true }),
          ...(open === 2 && { additionalProperties: false }),
          ...(open === 3 && { anyOf: [{ required: ["a"] }, { required: ["b"] }] }),
        }),
      ),
    fc.tuple(tie("tree"), tie("tree")).map((oneOf): JsonObject => ({ oneOf })),
    fc.tuple(tie("tree"), tie("tree")).map((anyOf): JsonObject => ({ anyOf, title: "t" })),
    fc.tuple(tie("tree"), tie("tree")).map((allOf): JsonObject => ({ allOf })),
    fc.tuple(tie("tree"), tie("tree")).map(([a, b]): JsonObject => ({ if: a, else: b })),
  ),
})).tree;

const tools = fc
  .tuple(schemas, schemas, schemas, fc.boolean())
  .map(([a, b, root, isRoot]): Tool => {
    const shared = { type: "object", properties: { s: { type: "string" } } };
    const loop = { type: "object", properties: { next: { $ref: "#/$defs/loop" }, v: a } };
    const own = { type: "object", properties: { a, b }, required: ["a"] };
    return { name: "t", inputSchema: { ...(isRoot && root), ...own, $defs: { shared, loop } } };
  });

describe("a schema after steps that are the same or narrower", () => {
  it("accepts only arguments that the server's schema accepts", () => {
    const takers = fc.subarray([...PROVIDERS], { minLength: 1 });
    let count = 0;
    fc.assert(
      fc.property(tools, takers, fc.integer(), ({ inputSchema }, names, seed) => {
        if (compileDeclared({ value: inputSchema }).error !== undefined) return;
        const dropsNulls = names.includes("openai-strict");
        const options = { ofArguments: true, dropsNulls, kinds: SAFE };
        // Rewrites the schema with a small step budget, as the gateway does.
        const made = runSteps(rewriteSchemaSteps(inputSchema, names, options));
        expect(made.changes.filter(({ kind }) => kind === "wider")).toEqual([]);
        count += accepted(inputSchema, made.schema, dropsNulls, seed);
      }),
      { numRuns: sample(8, 40, 300) },
    );
    expect(count).toBeGreaterThan(0);
  }, 600_000);
});

describe("what is left", () => {
  it("is exactly what lint finds in the adapted tool", { ...long, timeout: 600_000 }, () => {
    const kinds = fc.subarray([...ALL], { minLength: 1 });
    const takers = fc.subarray([...PROVIDERS], { minLength: 1 });
    fc.assert(
      fc.property(tools, takers, kinds, (tool, names, allowed) => {
        const text = new TextEncoder().encode(JSON.stringify(tool));
        const made = runSteps(adaptToolSteps(text, rulesFor(names, allowed)));
        const shown: unknown = JSON.parse(new TextDecoder().decode(made.text));
        const found = lintFor([shown], names).map(({ tool: _, index: __, ...rest }) => rest);
        expect(made.left?.total).toBe(found.length);
        expect(made.left?.errors).toBe(found.filter(({ severity }) => severity === "error").length);
        for (const finding of made.left?.findings ?? []) expect(found).toContainEqual(finding);
        for (const { kind } of made.changes) {
          if (kind !== undefined && kind !== "same") expect(allowed).toContain(kind);
        }
      }),
      { numRuns: sample(25, 80, 500) },
    );
  });
});

const folder = sharedPath("corpus", "tools-list");
describe.skipIf(folder === undefined)("tools of published servers", () => {
  const published = (): readonly Tool[] =>
    readdirSync(folder ?? "").flatMap((file) => {
      const { tools: listed } = JSON.parse(readFileSync(join(folder ?? "", file), "utf8"));
      return listed as Tool[];
    });

  // Strict mode does not accept maps, and requires a type everywhere.
  eachOf<[ProviderName, readonly string[]]>(
    [
      ["openai", []],
      ["openai-strict", ["closed-objects", "type-missing"]],
      ["anthropic", []],
      ["bedrock", []],
      ["gemini-openapi", []],
      ["vscode", []],
    ],
    ([name]) => name !== "openai-strict",
  )(
    "are refused by %s only for %j, once they are adapted",
    (provider, rules) => {
      const dropsNulls = provider === "openai-strict";
      const every = sample(12, 4, 1);
      for (const [at, tool] of published().entries()) {
        if (at % every !== 0) continue;
        for (const kinds of [SAFE, ALL]) {
          const options = { ofArguments: true, dropsNulls, kinds };
          const { schema } = rewriteSchema(tool.inputSchema, [provider], options);
          if (kinds === SAFE) {
            accepted(tool.inputSchema, schema, dropsNulls, at);
            continue;
          }
          for (const { severity, rule } of lintFor(
            [{ ...tool, inputSchema: schema }],
            [provider],
          )) {
            if (severity === "error") expect(rules).toContain(rule);
          }
        }
      }
    },
    120_000,
  );
});
