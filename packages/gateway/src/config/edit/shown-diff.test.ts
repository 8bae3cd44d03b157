import { describe, expect, it } from "vitest";
import { redactedDiff } from "./shown-diff.ts";

/** Returns the difference when a mode is added below a comment. */
function diffBelow(comment: string): string {
  const before = `{\n  ${comment}\n  "mcpServers": {}\n}\n`;
  const after = before.replace("{}", '{ "crm": {} }');
  return redactedDiff("touchstone.json", before, after, []);
}

describe("comments in a difference of the configuration", () => {
  it.each([
    ["// old key: hunter2hunter2", "// old key: [redacted]"],
    ["// old key hunter2hunter2 of May", "// old key [redacted] of May"],
    ['// "api_key": "hunter2, and more"', '// "api_key": [redacted]'],
    ["// PASSWORD = hunter2", "// PASSWORD = [redacted]"],
    ["/* the token is hunter2 */", "/* the token is [redacted] */"],
    ["// passwd:hunter2 secret:hunter2", "// passwd:[redacted] secret:[redacted]"],
  ])("lose the secret in %s", (comment, shown) => {
    const diff = diffBelow(comment);
    expect(diff).toContain(shown);
    expect(diff).not.toContain("hunter2");
  });

  it.each([
    "// What is served",
    "// the key of each server is its name",
    "// secrets are in variables",
    "// tokens expire after 15 minutes",
  ])("stay as they are: %s", (comment) => {
    expect(diffBelow(comment)).toContain(comment);
  });
});
