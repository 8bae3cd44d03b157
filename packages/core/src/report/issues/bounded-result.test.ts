import { expect, it } from "vitest";
import { compileDeclared } from "../../compile.ts";
import type { Issue } from "../../result.ts";
import { renderJson } from "../render/json.ts";
import { boundedResult } from "./bounded-result.ts";

const BIG = "x".repeat(100_000);
const MANY = Array.from({ length: 1000 }, () => "value");

const issue = (params: Record<string, unknown>): Issue => ({
  path: "/a",
  message: "must be equal to one of the allowed values",
  rule: "value",
  keyword: "enum",
  schemaPath: "#/enum",
  params,
});
const paramsOf = (params: Record<string, unknown>): unknown =>
  boundedResult({ errors: [issue(params)] }).errors[0]?.params;

it("writes issues unchanged if their params are small", () => {
  const result = { valid: false, errors: [issue({ allowedValues: ["a", "b"] })], warnings: [] };
  expect(boundedResult(result)).toEqual(result);
  expect(boundedResult(result).errors[0]).toBe(result.errors[0]);
});

it("keeps the first values of a long list and counts the others", () => {
  const allowedValues = Array.from({ length: 2000 }, (_, i) => `value${i}`);
  const { truncated, ...kept } = paramsOf({ allowedValues }) as {
    allowedValues: string[];
    truncated: number;
  };
  const { length } = kept.allowedValues;
  expect(length).toBeGreaterThan(50);
  expect(kept.allowedValues).toEqual(allowedValues.slice(0, length));
  expect(length + truncated).toBe(2000);
});

it("keeps as many exact texts of numbers as values", () => {
  const exact = Array.from({ length: 400 }, (_, i) => `90071992547409${93 + i}`);
  const kept = paramsOf({ allowedValues: exact.map(Number), exact }) as Record<string, unknown[]>;
  expect(kept["exact"]).toHaveLength(kept["allowedValues"]?.length ?? -1);
  expect(kept["exact"]?.length).toBeGreaterThan(0);
});

it("cuts a long text and leaves out a large value", () => {
  expect(paramsOf({ pattern: BIG, limit: 3 })).toEqual({
    pattern: `${"x".repeat(255)}…`,
    limit: 3,
  });
  expect(paramsOf({ allowedValue: { a: BIG } })).toEqual({});
  expect(paramsOf({ allowedValues: [{ a: BIG }] })).toEqual({ allowedValues: [], truncated: 1 });
});

it.each([
  ["enum", { items: { enum: Array.from({ length: 2000 }, (_, i) => `v${i}`) } }],
  ["const", { items: { const: { a: BIG } } }],
  ["enum of long texts", { items: { enum: [BIG, `${BIG}y`] } }],
  ["schemaPath", { items: { $ref: `#/$defs/${BIG}` }, $defs: { [BIG]: { type: "integer" } } }],
])("writes a check with many issues in little space: %s", (_keyword, schema) => {
  const check = compileDeclared({ value: schema }).validateText(JSON.stringify(MANY));
  expect(check.errors.length).toBeGreaterThan(100);
  const text = renderJson([{ name: "a.json", check }]);
  expect(text.length).toBeLessThan(2_000_000);
  const [written] = JSON.parse(text);
  expect(written.errors.map(({ message }: Issue) => message)).toEqual(
    check.errors.map(({ message }) => message),
  );
});

it("suggests a large value only in words", () => {
  const check = compileDeclared({ value: { const: { a: BIG } } }).validateText("1");
  expect(check.suggestions[0]).toHaveProperty("value");
  expect(boundedResult(check).suggestions).toEqual([
    { path: "", message: check.suggestions[0]?.message },
  ]);
});
