import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactNamed } from "./named-secrets.ts";

const R = "[redacted]";

describe("redactNamed", () => {
  it.each([
    ["password=hunter2", `password=${R}`, 1],
    ["login with password=correcthorse, then go", `login with password=${R}, then go`, 1],
    ["token: abc123def", `token: ${R}`, 1],
    ["X-Api-Key: 0123456789", `X-Api-Key: ${R}`, 1],
    ["Authorization: Bearer abcdef123456==", `Authorization: ${R}`, 1],
    ["Authorization: Token-9f8e", `Authorization: ${R}`, 1],
    [
      "https://x.example/a?access_token=aaaa-bbbb&b=1",
      `https://x.example/a?access_token=${R}&b=1`,
      1,
    ],
    ['{"password":"a b c","city":"Oslo"}', `{"password":"${R}","city":"Oslo"}`, 1],
    ["{'client_secret': 'x'}", `{'client_secret': '${R}'}`, 1],
    ["DB_PASSWORD='pass word'\nDB_USER=me", `DB_PASSWORD='${R}'\nDB_USER=me`, 1],
    ["pin=1234 otp=9999", `pin=${R} otp=${R}`, 2],
    ["secret = s3cr3t!", `secret = ${R}`, 1],
    ["see sk-proj-abcdefghijklmnop1234", `see ${R}`, 1],
  ])("redacts the secret in %j", (text, kept, redactions) => {
    expect(redactNamed(text)).toEqual({ text: kept, redactions });
  });

  it.each(["", '"', "'"])("redacts all of a long value in quotes %j", (quote) => {
    const long = "x1".repeat(1_000_000);
    const text = `password=${quote}${long}${quote} city=Oslo`;
    expect(redactNamed(text).text).toBe(`password=${quote}${R}${quote} city=Oslo`);
  });

  it.each([
    "token: the one that you were given",
    "Tests pass: all of them",
    "password=true and token=null",
    "max_tokens=1024",
    "city=Bergen; author: someone-1",
    "not json, password: x",
    "password=",
    'password=""',
    'password="a b',
    "password='a b\"",
    "a password is 12 characters",
    "tokens: 12345",
  ])("leaves %j unchanged", (text) => {
    expect(redactNamed(text)).toEqual({ text, redactions: 0 });
  });

  it("finds nothing on a second pass, and changes no other text", () => {
    const piece = fc.constantFrom(
      "password",
      "token",
      "=",
      ": ",
      '"',
      "'",
      " ",
      "x1y2z3",
      "\n",
      "a",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const { text, redactions } = redactNamed(pieces.join(""));
        if (redactions === 0) expect(text).toBe(pieces.join(""));
        expect(redactNamed(text)).toEqual({ text, redactions: 0 });
      }),
    );
  });

  it("runs in time linear in the text", () => {
    for (const part of [
      "a",
      "a.",
      "token=",
      'token="',
      "token='\"",
      "token: ",
      "=",
      "'",
      "eyJaaaaaaaa-",
      "eyJaaaaaaaa.",
      "eyJaaaaaaaa.eyJaaaa-",
      ".eyJaaaa.",
      "\\neyJaaaaaaaa.",
      "\\nsk-",
    ]) {
      expect(redactNamed(part.repeat(200_000)).text.length).toBeGreaterThan(0);
    }
  });
});
