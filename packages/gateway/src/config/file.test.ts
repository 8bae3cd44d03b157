import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadServers } from "./client-servers.ts";
import { loadConfig, parseConfig } from "./load.ts";
import { refusal } from "./testing/refusals.ts";

describe("files", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "config-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const file = (name: string, content: string | Uint8Array = "{}") => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };

  it("reads a file and names it in faults", () => {
    const path = file("good.json", '{ "mcpServers": { "a": { "command": "npx" } } }');
    expect(loadConfig(path).servers).toHaveLength(1);
    expect(loadServers(path).servers).toHaveLength(1);
    const bad = file("bad.json", '{\r\n  "x": 1 }');
    expect(refusal(() => loadConfig(bad)).message).toMatch(`${bad}:2:3: /x: unknown key "x"`);
  });

  it.each([
    ["missing", (): string => join(folder, "none.json"), "FILE_NOT_FOUND", /no such file/],
    ["under a file", (): string => join(file("a"), "b"), "FILE_NOT_FOUND", /no such file/],
    ["a folder", (): string => folder, "FILE_UNREADABLE", /is a directory/],
    ["impossible", (): string => "a\0b", "FILE_UNREADABLE", /ERR_INVALID_ARG_VALUE/],
    ["a device", (): string => "/dev/null", "FILE_UNREADABLE", /not a regular file/],
    [
      "no UTF-8",
      (): string => file("u", Uint8Array.of(0xff, 0xfe, 0x7b, 0)),
      "FILE_ENCODING",
      /UTF-8/,
    ],
    ["too large", (): string => large(), "FILE_TOO_LARGE", /more than 1048576 bytes/],
  ])("refuses a file that is %s", (_what, path, code, words) => {
    const { faults } = refusal(() => loadConfig(path()));
    expect(faults).toEqual([expect.objectContaining({ code, path: "" })]);
    expect(faults[0]?.message).toMatch(words);
    expect(faults[0]).not.toHaveProperty("line");
  });

  function large(): string {
    const path = file("large.json");
    truncateSync(path, 1024 * 1024 + 1);
    return path;
  }

  it("refuses a text over the limit before parsing it", () => {
    const text = `{}${" ".repeat(1024 * 1024)}`;
    expect(refusal(() => parseConfig(text, { file: "t.json" })).faults[0]?.code).toBe(
      "FILE_TOO_LARGE",
    );
  });
});
