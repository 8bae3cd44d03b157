import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { curlCommand } from "./curl.ts";

/** Returns the words into which a shell splits the command: `curl` is a shell function that prints its arguments. */
function words(command: string, token = "secret"): string[] {
  const script = `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }\n${command}\n`;
  const out = execFileSync("sh", ["-c", script], { env: { TOKEN: token }, encoding: "utf8" });
  return out.split("\0").slice(0, -1);
}

describe("curlCommand", () => {
  it("is one request to a shell", () => {
    const url = "http://localhost:1/tools/a%2Fb/call?x='";
    const body = `{"a":"it's $HOME \`id\` \\\\ !! \\"","b":"@file"}\n`;
    expect(words(curlCommand({ url, body, needsKey: false }))).toEqual([
      "--globoff",
      url,
      "-H",
      "Content-Type: application/json",
      "--data-raw",
      body,
    ]);
  });

  it("refers to the key by a variable, if one is needed", () => {
    const command = curlCommand({ url: "http://localhost/", body: "{}", needsKey: true });
    expect(command).toContain("$TOKEN");
    expect(words(command, "secret")).toContain("Authorization: Bearer secret");
  });

  it("quotes any body", () => {
    const body = fc.string({ unit: "grapheme" }).map((text) => JSON.stringify({ text }));
    fc.assert(
      fc.property(body, (text) => {
        expect(words(curlCommand({ url: "x:", body: text, needsKey: false })).at(-1)).toBe(text);
      }),
      { numRuns: 20 },
    );
  });
});
