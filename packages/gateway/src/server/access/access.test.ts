import { describe, expect, it } from "vitest";
import { accessRefusal, carriesGatewayKey } from "./access.ts";

const open = {
  allowedHosts: ["Gate.example", "other.example:8443"],
  allowedOrigins: ["https://App.example", "https://next.example:8443"],
};

/** What a browser reports a request that a page at another site made it send (W3C Fetch Metadata). */
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
    ["an allowed host in capitals", { host: "GATE.EXAMPLE" }, undefined],
    ["an allowed host with its port", { host: "other.example:8443" }, undefined],
    ["an allowed host with another port", { host: "other.example:1" }, 403],
    ["a loopback origin", { host: "localhost", origin: "http://localhost:5173" }, undefined],
    ["an allowed origin", { host: "localhost", origin: "https://app.example" }, undefined],
    ["a loopback origin in IPv6", { host: "localhost", origin: "http://[::1]:80" }, undefined],
    [
      "an allowed origin with its port",
      { host: "localhost", origin: "https://next.example:8443" },
      undefined,
    ],
    [
      "an allowed origin with another port",
      { host: "localhost", origin: "https://next.example" },
      403,
    ],
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
    const refusal = accessRefusal(headers, open);
    expect(refusal?.status).toBe(status);
    if (refusal === undefined) return;
    const page = "origin" in headers || "sec-fetch-site" in headers;
    const wrong = page ? "ORIGIN_NOT_ALLOWED" : "HOST_NOT_ALLOWED";
    expect(refusal.code).toBe(wrong);
  });

  it("requires the API key if one is set, in either header", () => {
    const rules = { ...open, apiKey: "s3cret" };
    const host = "localhost";
    expect(accessRefusal({ host }, rules)?.status).toBe(401);
    expect(accessRefusal({ host, "x-api-key": "s3cre" }, rules)?.status).toBe(401);
    expect(accessRefusal({ host, "x-api-key": "s3cret" }, rules)).toBeUndefined();
    expect(accessRefusal({ host, authorization: "bearer s3cret" }, rules)).toBeUndefined();
    for (const authorization of ["Basic s3cret", "Bearer s3cret x", "x Bearer s3cret", "Bearer"]) {
      expect(accessRefusal({ host, authorization }, rules)?.status).toBe(401);
    }
    const both = { "x-api-key": "other", authorization: "Bearer s3cret" };
    expect(accessRefusal({ host, ...both }, rules)?.status).toBe(401);
  });
});

describe("carriesGatewayKey", () => {
  const rules = { ...open, apiKey: "s3cret" };

  it.each([
    ["Bearer s3cret", true],
    ["Bearer other", false],
    ["Basic s3cret", true],
    [undefined, false],
  ])("for %s returns %s", (authorization, own) => {
    expect(carriesGatewayKey(authorization, rules)).toBe(own);
    expect(carriesGatewayKey(authorization, open)).toBe(false);
  });
});
