import { compileDeclared } from "@touchstone/core/advanced";
import { expect, it } from "vitest";
import { branchErrorTest } from "./branch-errors.ts";

it("returns the errors of branches that were not meant, if it finds them in the check", () => {
  const [card, cash] = [{ required: ["card"] }, { properties: { cents: { type: "integer" } } }];
  const schema = compileDeclared({ value: { oneOf: [card, cash] } });
  const text = '{"cents":"1"}';
  const errors = [
    ...schema.validateText(text).errors,
    { path: "/card", message: "is not what the other engine wants" },
  ];
  const isUnmeant = branchErrorTest(schema, text);
  expect(errors.filter((error) => !isUnmeant(error)).map(({ path }) => path)).toEqual([
    "/cents",
    "",
    "/card",
  ]);
  expect(errors.filter(branchErrorTest(compileDeclared({ text: "{" }), text))).toEqual([]);
});

it("finds them by their place if another error has the same text", () => {
  const branches = [{ type: "integer" }, { type: "object", required: ["z"] }];
  const properties = { a: { type: "integer" }, u: { oneOf: branches } };
  const schema = compileDeclared({ value: { properties } });
  const text = '{"a":"s","u":{}}';
  const { errors } = schema.validateText(text);
  expect(
    errors.filter(branchErrorTest(schema, text)).map(({ path, message }) => [path, message]),
  ).toEqual([["/u", "must be integer"]]);
});
