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
  ])("takes %s for %s", (key, meant) => {
    expect(entryKeyHint(key)).toBe(` — did you mean "${meant}"?`);
  });

  it.each(["url", "serverUrl", "httpUrl", "autoApprove", "constructor", "envFile"])(
    "reports nothing of %s",
    (key) => {
      expect(entryKeyHint(key)).toBe("");
    },
  );

  it("names only what is wanted", () => {
    expect(entryKeyHint("serverUrl", ["command"])).toBe("");
  });
});
