import { compileSchema } from "@touchstone/core";
import { expect, it } from "vitest";
import { unmeantIn } from "./unmeant.ts";

it("returns the errors of branches that were not meant, if it finds them in the check", () => {
  const [card, cash] = [{ required: ["card"] }, { properties: { cents: { type: "integer" } } }];
  const schema = compileSchema({ value: { oneOf: [card, cash] } });
  const text = '{"cents":"1"}';
  const errors = [
    ...schema.check(text).errors,
    { path: "/card", message: "is not what the other engine wants" },
  ];
  const isUnmeant = unmeantIn(schema, text);
  expect(errors.filter((error) => !isUnmeant(error)).map(({ path }) => path)).toEqual([
    "/cents",
    "",
    "/card",
  ]);
  expect(errors.filter(unmeantIn(compileSchema({ text: "{" }), text))).toEqual([]);
});

it("finds them by their place if another error has the same text", () => {
  const branches = [{ type: "integer" }, { type: "object", required: ["z"] }];
  const properties = { a: { type: "integer" }, u: { oneOf: branches } };
  const schema = compileSchema({ value: { properties } });
  const text = '{"a":"s","u":{}}';
  const { errors } = schema.check(text);
  expect(
    errors.filter(unmeantIn(schema, text)).map(({ path, message }) => [path, message]),
  ).toEqual([["/u", "must be integer"]]);
});
