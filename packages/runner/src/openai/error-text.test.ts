import { expect, it } from "vitest";
import { checked, ToolInputError, ToolOutputError } from "../index.ts";
import { errorText } from "./error-text.ts";

function thrownBy(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return error;
  }
}

it("tells the model about broken schemas, but no other error", () => {
  const schema = { type: "string" };
  const input = thrownBy(() => checked((_args: unknown) => 1, { input: schema })(1));
  const output = thrownBy(() => checked(() => 1, { output: schema })({}));
  expect(input).toBeInstanceOf(ToolInputError);
  expect(output).toBeInstanceOf(ToolOutputError);
  for (const error of [input, output]) expect(errorText({}, error)).toBe((error as Error).message);
  class InvalidToolInputError extends Error {}
  expect(errorText({}, new InvalidToolInputError())).toContain("are not valid JSON");
  for (const other of [new Error("secret"), "secret", undefined]) {
    expect(errorText({}, other)).not.toContain("secret");
  }
});
