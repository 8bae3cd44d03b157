import { describe, expect, it } from "vitest";
import { entryKeyHint } from "./entry-keys.ts";

describe("entryKeyHint", () => {
  it.each([
    ["server_url", "url"],
    ["HTTPURL", "url"],
    ["disable", "disabled"],
    ["active", "isActive"],
    ["uri", "url"],
    ["endpoint", "url"],
    ["cmd", "command"],
    ["executable", "command"],
    ["environment", "env"],
    ["workingDirectory", "cwd"],
    ["working_dir", "cwd"],
    ["transport", "type"],
    ["comand", "command"],
  ])("suggests for %s the key %s", (key, meant) => {
    expect(entryKeyHint(key)).toBe(` — did you mean "${meant}"?`);
  });

  it.each(["url", "serverUrl", "httpUrl", "autoApprove", "constructor", "envFile"])(
    "suggests nothing for %s",
    (key) => {
      expect(entryKeyHint(key)).toBe("");
    },
  );

  it("suggests only keys that are wanted", () => {
    expect(entryKeyHint("serverUrl", ["command"])).toBe("");
  });
});
