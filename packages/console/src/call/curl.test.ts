import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { curlCommand } from "./curl.ts";

/** What the shell makes of the command: `curl` is a function that prints its words. */
function words(command: string, token = "Bearer secret"): string[] {
  const script = `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }\n${command}\n`;
  const out = execFileSync("sh", ["-c", script], { env: { TOKEN: token }, encoding: "utf8" });
  return out.split("\0").slice(0, -1);
}

describe("curlCommand", () => {
  it("is read by a shell as one request", () => {
    const url = "http://localhost:1/tools/a%2Fb/call?x='";
    const body = `{"a":"it's $HOME \`id\` \\\\ !! \\"","b":"@file"}\n`;
    expect(words(curlCommand({ url, body, authorized: false }))).toEqual([
      "--globoff",
      url,
      "-H",
      "Content-Type: application/json",
      "--data-raw",
      body,
    ]);
  });

  it("has the token by its name only", () => {
    const command = curlCommand({ url: "http://localhost/", body: "{}", authorized: true });
    expect(command).toContain('"Authorization: $TOKEN"');
    expect(words(command)).toContain("Authorization: Bearer secret");
  });

  it("quotes any body whatever", () => {
    const body = fc.string({ unit: "grapheme" }).map((text) => JSON.stringify({ text }));
    fc.assert(
      fc.property(body, (text) => {
        expect(words(curlCommand({ url: "x:", body: text, authorized: false })).at(-1)).toBe(text);
      }),
      { numRuns: 20 },
    );
  });
});
