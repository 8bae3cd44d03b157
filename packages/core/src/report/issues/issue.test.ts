import { describe, expect, it } from "vitest";
import { compileDeclared } from "../../compile.ts";

describe("an issue of the keyword type", () => {
  const schema = compileDeclared({ value: { items: { type: ["boolean", "integer"] } } });
  it.each([
    ["null", "null"],
    ["[]", "array"],
    ["{}", "object"],
    ['"x"', "string"],
    ["0.5", "number"],
    // The double nearest to this number is an integer.
    ["9007199254740993.5", "number"],
  ])("says that for %s it received %s", (text, received) => {
    const [issue] = schema.validateText(`[${text}]`).errors;
    expect(issue).toMatchObject({ message: "must be boolean,integer", keyword: "type" });
    expect(issue?.params).toEqual({ type: ["boolean", "integer"], received });
  });

  it("leaves the params of other keywords unchanged", () => {
    const [issue] = compileDeclared({ value: { minimum: 3 } }).validateText("1").errors;
    expect(issue?.params).toEqual({ comparison: ">=", limit: 3 });
  });
});
