import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { curlCommand } from "./curl.ts";

/** What the shell makes of the command: `curl` is a function that prints its words. */
function words(command: string, token = "secret"): string[] {
  const script = `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }\n${command}\n`;
  const out = execFileSync("sh", ["-c", script], { env: { TOKEN: token }, encoding: "utf8" });
  return out.split("\0").slice(0, -1);
}

describe("curlCommand", () => {
  it("is one request to a shell", () => {
    const url = "http://localhost:1/tools/a%2Fb/call?x='";
    const body = `{"a":"it's $HOME \`id\` \\\\ !! \\"","b":"@file"}\n`;
    expect(words(curlCommand({ url, body, authorization: undefined }))).toEqual([
      "--globoff",
      url,
      "-H",
      "Content-Type: application/json",
      "--data-raw",
      body,
    ]);
  });

  it.each([
    ["Bearer secret", "secret"],
    ["Basic dTpw", "Basic dTpw"],
    ["Bearer a b", "Bearer a b"],
  ])("refers to the token by a variable: %s", (authorization, token) => {
    const command = curlCommand({ url: "http://localhost/", body: "{}", authorization });
    expect(command).toContain("$TOKEN");
    expect(command).not.toContain(token);
    expect(words(command, token)).toContain(`Authorization: ${authorization}`);
  });

  it("quotes any body", () => {
    const body = fc.string({ unit: "grapheme" }).map((text) => JSON.stringify({ text }));
    fc.assert(
      fc.property(body, (text) => {
        expect(words(curlCommand({ url: "x:", body: text, authorization: undefined })).at(-1)).toBe(
          text,
        );
      }),
      { numRuns: 20 },
    );
  });
});
