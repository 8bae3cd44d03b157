import { describe, expect, it } from "vitest";
import { chosenBranch } from "./choices.ts";

const issue = (path: string, schemaPath: string) =>
  ({ path, schemaPath, message: "", rule: "value" }) as const;

describe("chosenBranch", () => {
  const chosen = chosenBranch(new Map([["/a b", "/properties/a b/oneOf/12"]]));

  it.each([
    ["of the union of the value", "/a b", "#/properties/a%20b/oneOf", 12],
    ["of no other union there", "/a b", "#/properties/a%20b/allOf/0/oneOf", undefined],
    ["of no other value", "/a", "#/properties/a%20b/oneOf", undefined],
  ])("is the branch %s", (_, path, schemaPath, index) => {
    expect(chosen(issue(path, schemaPath))).toBe(index);
  });
});
