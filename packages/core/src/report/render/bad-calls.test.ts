import { expect, it } from "vitest";
import { compileDeclared } from "../../compile.ts";
import { renderForModel } from "./model.ts";
import { BAD_CALLS } from "./testing/bad-calls.ts";

it("covers at least 60 different bad calls", () => {
  expect(BAD_CALLS.length).toBeGreaterThanOrEqual(60);
  expect(new Set(BAD_CALLS.map(({ name }) => name)).size).toBe(BAD_CALLS.length);
});

it.each(BAD_CALLS)("$name", ({ schema, args, facts, never = [], max }) => {
  const check = compileDeclared({ value: schema }).validateText(JSON.stringify(args));
  expect(check.outcome).toBe("violation");
  const text = renderForModel(check, { tool: "tool" });
  for (const fact of facts) expect(text).toMatch(fact);
  for (const word of never) expect(text).not.toMatch(word);
  expect(text.length).toBeLessThanOrEqual(max);
  expect(text.split("\n").length).toBeLessThanOrEqual(25);
  expect(text).toMatch(/^The arguments of "tool" do not match its input schema\.\n/);
  expect(text).toMatch(/\nCorrect the arguments and call the tool again\.$/);
});
