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
  class InvalidToolInputError extends Error {
    originalError: unknown;
    constructor(originalError?: unknown) {
      super();
      this.originalError = originalError;
    }
  }
  const syntax = thrownBy(() => JSON.parse("{"));
  expect(errorText({}, new InvalidToolInputError(syntax))).toContain("are not valid JSON");
  // The arguments may be JSON and still be refused: another library's schema may not accept the infinity that
  // `JSON.parse` returns for 1e400.
  const refused = errorText({}, new InvalidToolInputError(new Error("not an integer")));
  expect(refused).toContain("were not accepted.");
  // The SDK hides the reason unless its logs may contain data.
  const hidden = errorText({}, new InvalidToolInputError());
  expect(hidden).toContain("not valid JSON, or not what the tool takes");
  for (const other of [new Error("secret"), "secret", undefined]) {
    expect(errorText({}, other)).not.toContain("secret");
  }
});
