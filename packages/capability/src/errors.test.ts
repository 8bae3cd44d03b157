import { expect, it } from "vitest";
import { shortMessageOf } from "./errors.ts";

const withMessage = (message: unknown): Error => Object.assign(new Error(), { message });

it.each<[string, unknown, string]>([
  ["an error", new Error("gone"), "gone"],
  ["something else", 5, "5"],
  ["an error whose message is a symbol", withMessage(Symbol("x")), "Symbol(x)"],
  ["an error without one", withMessage(Object.create(null)), "an error without a message"],
  ["a long text", "x".repeat(400), `${"x".repeat(299)}…`],
])("returns a text for %s", (_, thrown, text) => {
  expect(shortMessageOf(thrown)).toBe(text);
});
