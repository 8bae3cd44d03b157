import { describe, expect, it } from "vitest";
import { parseConfig } from "../load.ts";
import { editText } from "./changes.ts";
import { type ModeChange, modeChanges, type SettingsLevel, writtenModes } from "./modes.ts";

const TEXT = `{
  // The servers
  "mcpServers": {
    "files": {
      "command": "npx", // from npm
      "args": ["-y", "server"],
      "touchstone": {
        "input_validation": { "mode": "warn", "max_bytes": 10 },
        "tools": {
          // known to be sloppy
          "read": { "output_validation": { "mode": "off" } }
        }
      }
    },
    "search": { "url": "https://search.example/mcp" }
  },
  "output_validation": { "mode": "strict" }, // everywhere
}
`;

/** The lines that are not in the text, and those that are gone. */
function difference(edited: string): { added: string[]; gone: string[] } {
  const before = TEXT.split("\n");
  const after = edited.split("\n");
  return {
    added: after.filter((line) => !before.includes(line)),
    gone: before.filter((line) => !after.includes(line)),
  };
}

describe("modeChanges", () => {
  it.each<[string, SettingsLevel, ModeChange, string[], string[]]>([
    [
      "at the top",
      {},
      { output: "off", protocol: "strict" },
      [
        '  "output_validation": { "mode": "off" }, // everywhere',
        '  "protocol_validation": { "mode": "strict" },',
      ],
      ['  "output_validation": { "mode": "strict" }, // everywhere'],
    ],
    [
      "of a server",
      { server: "files" },
      { input: "strict" },
      ['        "input_validation": { "mode": "strict", "max_bytes": 10 },'],
      ['        "input_validation": { "mode": "warn", "max_bytes": 10 },'],
    ],
    [
      "of a server that has none",
      { server: "search" },
      { input: "strict" },
      [
        '    "search": { "url": "https://search.example/mcp", "touchstone": { "input_validation": { "mode": "strict" } } }',
      ],
      ['    "search": { "url": "https://search.example/mcp" }'],
    ],
    [
      "of a tool that has none",
      { server: "files", tool: 'a"b' },
      { input: "strict" },
      [
        '          "read": { "output_validation": { "mode": "off" } },',
        '          "a\\"b": {',
        '            "input_validation": { "mode": "strict" }',
        "          }",
      ],
      ['          "read": { "output_validation": { "mode": "off" } }'],
    ],
    [
      "that a server no longer sets",
      { server: "files" },
      { input: null, output: null },
      ['        "input_validation": { "max_bytes": 10 },'],
      ['        "input_validation": { "mode": "warn", "max_bytes": 10 },'],
    ],
    [
      "that a tool no longer sets, but not what is said about it",
      { server: "files", tool: "read" },
      { output: null },
      [],
      ['          "read": { "output_validation": { "mode": "off" } }'],
    ],
  ])("writes modes %s, and leaves every other line unchanged", (_, level, change, added, gone) => {
    const edited = editText(TEXT, modeChanges(level, change));
    expect(difference(edited)).toEqual({ added, gone });
    const own = writtenModes(edited).at(level);
    for (const [direction, mode] of Object.entries(change)) {
      expect(own[direction as keyof typeof own]).toBe(mode ?? undefined);
    }
    expect(() => parseConfig(edited, { file: "t.json", env: {} })).not.toThrow();
  });
});

describe("writtenModes", () => {
  it("returns only the modes that the file sets at each level", () => {
    const written = writtenModes(TEXT);
    expect(written.at({})).toEqual({ output: "strict" });
    expect(written.at({ server: "files" })).toEqual({ input: "warn" });
    expect(written.at({ server: "files", tool: "read" })).toEqual({ output: "off" });
    expect(written.at({ server: "constructor", tool: "toString" })).toEqual({});
    expect([written.has("search"), written.has("toString")]).toEqual([true, false]);
    expect(writtenModes("{").at({})).toEqual({});
    expect(writtenModes('{"input_validation":{"mode":"Strict"}}').at({})).toEqual({});
  });
});
