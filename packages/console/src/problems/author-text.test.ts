import type { Problem } from "@touchstone/gateway/api";
import { expect, it } from "vitest";
import { authorText } from "./author-text.ts";

const PROBLEM: Problem = {
  id: "0".repeat(20),
  ...{ server: "files", tool: "read_text_file", direction: "input", place: "/path" },
  ...{ rule: "type", keyword: "type", text: "/path must be a string (got an integer)" },
  issue: {
    ...{ path: "/path", message: "must be string", rule: "type", keyword: "type" },
    params: { type: "string", received: "integer" },
  },
  ...{ received: "integer", calls: 1_200, blocked: 3 },
  callers: { count: 2, more: false, names: ["gundula", "bob"] },
  first: "2026-11-30T06:00:00.000Z",
  last: "2026-11-30T07:00:00.000Z",
  last_record: "01M8NJ0CZJA4FN4MHTYYFPCC0Z",
  schema_hash: "sha256:46bd",
  ...{ mode: "warn", state: "open", passed_since: 0, ignored: null, allow: null, buckets: [] },
};

it("names what the author needs, and nobody who called", () => {
  const text = authorText(PROBLEM, { revisions: ["2025-11-25"], identity: "fs-server/0.2.0" });
  expect(text).toBe(`### /path must be a string (got an integer)

- Server: \`files\` (\`fs-server/0.2.0\`, MCP 2025-11-25)
- Tool: \`read_text_file\`
- Where: arguments of the call, at \`/path\`
- Rule: \`type\` (JSON Schema \`type\`)
- Expected: must be string
- Received: type \`integer\`
- Schema: \`sha256:46bd\`
- Calls: 1,200, 3 of them blocked
- First seen: 2026-11-30T06:00:00.000Z
- Last seen: 2026-11-30T07:00:00.000Z

Touchstone compared these calls with the schema that the server declares. Values of arguments and results are left out.
`);
  expect(text).not.toContain("gundula");
});

it.each([
  ["a backtick", "a`b``c", "```a`b``c```"],
  ["a line break", "a\n# b", "`a # b`"],
  ["an invisible character", "a\u202eb", "`a[U+202E]b`"],
  ["backticks at its ends", "`a`", "`` `a` ``"],
])("keeps a name with %s in one code span", (_what, tool, shown) => {
  expect(authorText({ ...PROBLEM, tool })).toContain(`- Tool: ${shown}\n`);
});

it("writes no markup that a text brings along", () => {
  const text = authorText({
    ...PROBLEM,
    ...{ text: "[x](https://e.example) <img>\n# y", keyword: null, received: null, place: "" },
  });
  expect(text).toMatch(/^### \\\[x\\\]\(https:\/\/e\.example\) \\<img\\> \\# y\n/);
  expect(text).toContain("at the root\n- Rule: `type`\n");
  expect(text).not.toContain("Received");
});
