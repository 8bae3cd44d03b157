import { describe, expect, it } from "vitest";
import { refuse } from "./access.ts";

const open = {
  allowedHosts: ["gate.example", "other.example:8443"],
  allowedOrigins: ["https://app.example"],
};

/** What a browser tells of a request that a page at another site made it send (W3C Fetch Metadata). */
const foreign = (mode: string, dest: string): Record<string, string> => ({
  host: "127.0.0.1:7411",
  "sec-fetch-site": "cross-site",
  "sec-fetch-mode": mode,
  "sec-fetch-dest": dest,
});

describe("refuse", () => {
  const table: [string, Record<string, string>, number | undefined][] = [
    ["loopback by address", { host: "127.0.0.1:7411" }, undefined],
    ["loopback by name", { host: "LOCALHOST:80" }, undefined],
    ["loopback in IPv6", { host: "[::1]:7411" }, undefined],
    ["no Host", {}, 403],
    ["a rebound name", { host: "evil.example:7411" }, 403],
    ["a name that starts like loopback", { host: "localhost.evil.example" }, 403],
    ["an address that starts like loopback", { host: "127.0.0.1.evil.example" }, 403],
    ["an allowed host with any port", { host: "gate.example:1" }, undefined],
    ["an allowed host with its port", { host: "other.example:8443" }, undefined],
    ["an allowed host with another port", { host: "other.example:1" }, 403],
    ["a loopback origin", { host: "localhost", origin: "http://localhost:5173" }, undefined],
    ["an allowed origin", { host: "localhost", origin: "https://app.example" }, undefined],
    ["a foreign origin", { host: "localhost", origin: "https://evil.example" }, 403],
    ["an opaque origin", { host: "localhost", origin: "null" }, 403],
    ["an image of another site's page", foreign("no-cors", "image"), 403],
    ["a frame in another site's page", foreign("navigate", "iframe"), 403],
    ["a fetch of another site's page, unread", foreign("no-cors", "empty"), 403],
    ["a link on another site's page", foreign("navigate", "document"), undefined],
    [
      "a fetch of a listed origin's page",
      { ...foreign("cors", "empty"), origin: "https://app.example" },
      undefined,
    ],
    [
      "the console's own",
      { ...foreign("cors", "empty"), "sec-fetch-site": "same-origin" },
      undefined,
    ],
  ];
  it.each(table)("%s", (_, headers, status) => {
    const refusal = refuse(headers, open);
    expect(refusal?.status).toBe(status);
    if (refusal === undefined) return;
    const page = "origin" in headers || "sec-fetch-site" in headers;
    const wrong = page ? "ORIGIN_NOT_ALLOWED" : "HOST_NOT_ALLOWED";
    expect(refusal.code).toBe(wrong);
  });

  it("asks for the API key where one is set, in either header", () => {
    const rules = { ...open, apiKey: "s3cret" };
    const host = "localhost";
    expect(refuse({ host }, rules)?.status).toBe(401);
    expect(refuse({ host, "x-api-key": "s3cre" }, rules)?.status).toBe(401);
    expect(refuse({ host, "x-api-key": "s3cret" }, rules)).toBeUndefined();
    expect(refuse({ host, authorization: "bearer s3cret" }, rules)).toBeUndefined();
    expect(refuse({ host, authorization: "Basic s3cret" }, rules)?.status).toBe(401);
  });
});
