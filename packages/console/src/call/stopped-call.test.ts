import { describe, expect, it } from "vitest";
import type { ResultView } from "./result.ts";
import { readStoppedCall } from "./stopped-call.ts";

const error = (text: string, structured?: string): ResultView => ({
  isError: true,
  content: [{ kind: "text", text }],
  ...(structured === undefined ? {} : { structured }),
});
const INVALID = '{"valid":false,"errors":[{"path":"/a","message":"must be string"}]}';
const REASON = "output schema validation failed: /total must be number, got string";

describe("readStoppedCall", () => {
  it.each([
    ["refused arguments", 200, error("The tool was not run. Its arguments …", INVALID), "refused"],
    [
      "no object",
      200,
      error('The tool "a\\"b" was not run: its arguments must be an object.', INVALID),
      "refused",
    ],
    [
      "arguments that could not be checked",
      200,
      error("The tool was not run. Its arguments …", INVALID.replace("{", '{"checked":false,')),
      "unchecked",
    ],
    ["a result that was held back", 500, error(REASON), "blocked"],
    [
      "a call over a limit",
      429,
      error('The call of "a" was rejected before it reached the server: why'),
      "blocked",
    ],
    [
      "a call that was held back",
      403,
      error('The call of "a" was blocked before it reached the server: why'),
      "blocked",
    ],
  ])("recognizes who stopped a call: %s", (_what, status, result, by) => {
    expect(readStoppedCall(status, result)).toMatchObject({ by });
  });

  it.each([
    ["a tool's error", 500, error("It failed")],
    ["a tool's error with its own verdict", 200, error("Not good.", INVALID)],
    ["words alone", 200, error("The tool was not run. Sorry.")],
    ["words in the middle", 500, error(`I say: ${REASON}`)],
    ["no error", 200, { ...error(REASON), isError: false }],
    ["nothing", 500, { isError: true, content: [] }],
  ])("does not count as stopped: %s", (_what, status, result) => {
    expect(readStoppedCall(status, result)).toBeUndefined();
  });

  it("returns the reason unchanged", () => {
    expect(readStoppedCall(500, error(REASON))).toEqual({ by: "blocked", reason: REASON });
  });
});
