import { compileDeclared } from "@touchstone/core/advanced";
import { describe, expect, it } from "vitest";
import { judgeOutput } from "./output.ts";

const text = '{"required":["t"],"properties":{"t":{"type":"integer"}}}';
const schema = { text, compiled: compileDeclared({ text }) };
const result = (structured: string | undefined, isError = false) => ({
  isError,
  content: [],
  ...(structured === undefined ? {} : { structured }),
});

describe("judgeOutput", () => {
  it.each([
    ["nothing declared", undefined, result("{}"), "undeclared"],
    ["nothing structured", schema, result(undefined), "missing"],
    ["an error", schema, result(undefined, true), "error"],
    ["an error with something structured", schema, result("{}", true), "error"],
  ] as const)("finds nothing to check for %s", (_what, output, view, kind) => {
    expect(judgeOutput(output, view)).toEqual({ kind });
  });

  it.each([
    ['{"t":9007199254740993.0}', "valid"],
    ['{"t":9007199254740993.5}', "invalid"],
    ["{}", "invalid"],
  ])("finds that %s is %s", (structured, state) => {
    expect(judgeOutput(schema, result(structured))).toMatchObject({ verdict: { state } });
  });
});
