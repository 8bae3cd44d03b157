import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shownUrl } from "./shown-url.ts";

describe("shownUrl", () => {
  it.each([
    ["https://a.example/mcp", "https://a.example/mcp"],
    ["http://127.0.0.1:9/2025-11-25/mcp/", "http://127.0.0.1:9/2025-11-25/mcp/"],
    ["https://me:hunter2@a.example/?key=hunter2#hunter2", "https://a.example/"],
    ["https://a.example/s/0123456789abcdef0123/mcp", "https://a.example/s/[redacted]/mcp"],
    ["https://a.example/u/eyJhbGciOiJI.eyJzdWIiOiIx.dozjgNry", "https://a.example/u/[redacted]"],
    ["https://a.example/mcp/hunter/sse", "https://a.example/mcp/[redacted]/sse"],
    ["https://a.example/api/v1/mcp-server", "https://a.example/api/v1/mcp-server"],
    ["https://a.example/sk-hunterhunterhunter", "https://a.example/[redacted]"],
  ])("%s", (url, shown) => {
    expect(shownUrl(url)).toBe(shown);
  });

  it("never shows a random key in a path", () => {
    const key = fc
      .base64String({ minLength: 24, maxLength: 200 })
      .map((text) => `${text.replaceAll("/", "_")}7`);
    fc.assert(
      fc.property(key, (secret) => {
        expect(shownUrl(`https://a.example/s/${secret}/mcp`)).toBe(
          "https://a.example/s/[redacted]/mcp",
        );
      }),
    );
  });
});
