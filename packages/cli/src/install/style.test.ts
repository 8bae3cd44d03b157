import { parse } from "jsonc-parser";
import { expect, it } from "vitest";
import { applyEdits, readEntries } from "./entries.ts";
import { shownChange } from "./shown-change.ts";
import { unwrapEntry } from "./unwrap-entry.ts";
import { wrapEntry } from "./wrap-entry.ts";

const HOW = { command: "touchstone", args: [], options: [] };
const lines = (...parts: string[]): string => parts.join("\r\n");

function rewritten(text: string, by: typeof wrapEntry | typeof unwrapEntry): string {
  const edits = readEntries(text).flatMap((entry) => {
    const change = by(text, entry, HOW, true);
    return "left" in change ? [] : change.edits;
  });
  return applyEdits(text, edits);
}

it.each([
  [
    "one line, spaced",
    '{ "mcpServers": { "s": { "command": "npx", "args": ["-y", "x"] } } }',
    '{ "mcpServers": { "s": { "command": "touchstone", "args": ["wrap", "--name", "s", "--", "npx", "-y", "x"] } } }',
  ],
  [
    "one argument",
    '{ "mcpServers": { "s": { "args": ["x"], "command": "npx" } } }',
    '{ "mcpServers": { "s": { "args": ["wrap", "--name", "s", "--", "npx", "x"], "command": "touchstone" } } }',
  ],
  [
    "without spaces",
    '{"mcpServers":{"s":{"command":"npx","args":["-y"]}}}',
    '{"mcpServers":{"s":{"command":"touchstone","args":["wrap","--name","s","--","npx","-y"]}}}',
  ],
  [
    "without spaces and arguments",
    '{"mcpServers":{"s":{"command":"npx"}}}',
    '{"mcpServers":{"s":{"command":"touchstone","args":["wrap","--name","s","--installed","no-args","--","npx"]}}}',
  ],
  [
    "spaces inside brackets",
    '{ "mcpServers": { "s": { "command": "npx", "args": [ "-y", "x" ] } } }',
    '{ "mcpServers": { "s": { "command": "touchstone", "args": [ "wrap", "--name", "s", "--", "npx", "-y", "x" ] } } }',
  ],
  [
    "a line for each argument",
    lines(
      '{"mcpServers": {',
      '\t"s": {',
      '\t\t"command": "a",',
      '\t\t"args": [',
      '\t\t\t"b"',
      "\t\t]",
      "\t}",
      "}}",
    ),
    lines(
      '{"mcpServers": {',
      '\t"s": {',
      '\t\t"command": "touchstone",',
      '\t\t"args": [',
      '\t\t\t"wrap",',
      '\t\t\t"--name",',
      '\t\t\t"s",',
      '\t\t\t"--",',
      '\t\t\t"a",',
      '\t\t\t"b"',
      "\t\t]",
      "\t}",
      "}}",
    ),
  ],
  [
    "a line for each key, without arguments",
    lines(
      "{",
      '  "mcpServers": {',
      '    "s": {',
      '      "command": "a" // why',
      "    }",
      "  }",
      "}",
      "",
    ),
    lines(
      "{",
      '  "mcpServers": {',
      '    "s": {',
      '      "command": "touchstone",',
      '      "args": ["wrap", "--name", "s", "--installed", "no-args", "--", "a"] // why',
      "    }",
      "  }",
      "}",
      "",
    ),
  ],
  [
    "a line for each key of a URL",
    lines(
      "{",
      '  "mcpServers": {',
      '    "s": {',
      '      "type": "http",',
      "",
      '      "url": "http://a/"',
      "    }",
      "  }",
      "}",
    ),
    lines(
      "{",
      '  "mcpServers": {',
      '    "s": {',
      '      "type": "stdio",',
      "",
      '      "command": "touchstone",',
      '      "args": ["wrap", "--name", "s", "--url", "http://a/"]',
      "    }",
      "  }",
      "}",
    ),
  ],
])("keeps the formatting of the file: %s", (_, before, after) => {
  expect(rewritten(before, wrapEntry)).toBe(after);
  expect(rewritten(after, unwrapEntry)).toBe(before);
  expect(parse(after)).toBeDefined();
});

it("prints changes line by line, including added and removed lines", () => {
  const before = lines(
    '{"mcpServers": {',
    '  "a": {',
    '    "command": "a",',
    '    "env": { "K": "s3cret" }',
    "  },",
    '  "b": {',
    '    "command": "b",',
    '    "args": ["--token", "s3cret"]',
    "  }",
    "}}",
  );
  const edits = readEntries(before).flatMap((entry) => {
    const change = wrapEntry(before, entry, HOW, true);
    return "left" in change ? [] : change.edits;
  });
  const after = applyEdits(before, edits);
  const back = readEntries(after).flatMap((entry) => {
    const change = unwrapEntry(after, entry);
    return "left" in change ? [] : change.edits;
  });
  const there = [
    "--- mcp.json",
    "+++ mcp.json",
    "@@ -3 +3,2 @@",
    '-    "command": "a",',
    '+    "command": "touchstone",',
    '+    "args": ["wrap", "--name", "a", "--installed", "no-args", "--", "a"],',
    "@@ -7 +8 @@",
    '-    "command": "b",',
    '+    "command": "touchstone",',
    "@@ -8 +9 @@",
    '-    "args": ["--token", "(set, not shown)"]',
    '+    "args": ["wrap", "--name", "b", "--", "b", "--token", "(set, not shown)"]',
    "",
  ];
  expect(shownChange("mcp.json", before, edits, readEntries)).toBe(there.join("\n"));
  expect(shownChange("mcp.json", after, back, readEntries)).toContain(
    '@@ -3,2 +3 @@\n-    "command": "touchstone",\n-    "args": ["wrap"',
  );
});
