import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isSecretName, redactText } from "../../../util/src/secret-text.ts";
import { bodyText } from "./body.ts";

const body = (text: string, maxBytes = 100_000) => bodyText(Buffer.from(text), maxBytes);
const JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-def_123";

describe("redactText", () => {
  it.each([
    [`token ${JWT}!`, "token [redacted]!", 1],
    [`x-${JWT}.${JWT}`, "x-[redacted].[redacted]", 2],
    [
      `eyJa.${JWT} a.eyJzdWIi.b ${JWT.replace("eyJ", "ayJ")}`,
      "eyJa.[redacted] a.eyJzdWIi.b ayJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-def_123",
      1,
    ],
    ["Authorization: Bearer abcdef123456==", "Authorization: [redacted]", 1],
    ["basic dXNlcjpwYXNz", "[redacted]", 1],
    ["sk-proj-abcdefghijklmnop1234", "[redacted]", 1],
    ["sk_live_abcdefghijklmnop1234 and ghp_0123456789abcdefghij", "[redacted] and [redacted]", 2],
    ["xoxb-1234567890-abc", "[redacted]", 1],
    ["AKIAIOSFODNN7EXAMPLE", "[redacted]", 1],
    [`AIza${"a".repeat(35)}`, "[redacted]", 1],
    ["postgresql://me:hunter2@db/x", "postgresql://[redacted]@db/x", 1],
    ["-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", "[redacted]", 1],
    ["card 4111 1111 1111 1111.", "card [redacted].", 1],
    ["4111111111111111", "[redacted]", 1],
    ["4111-1111-1111-1112", "4111-1111-1111-1112", 0],
    // Digits inside a hash are not a card number. Other letters next to a card number make no difference.
    [
      "sha256:ab12ab12ab12ab12ab12ab12a4111111111111111f0c0c0c0c0c0c0c0c0c0c0c",
      "sha256:ab12ab12ab12ab12ab12ab12a4111111111111111f0c0c0c0c0c0c0c0c0c0c0c",
      0,
    ],
    ["a4111111111111111f", "a[redacted]f", 1],
    ["4111111111111111 12/29 123", "[redacted] 12/29 123", 1],
    ["order 1234 4111 1111 1111 1111 0", "order 1234 [redacted] 0", 1],
    ["7 3782 822463 10005 378282246310005", "7 [redacted] [redacted]", 2],
    ["2026-11-25 4111-1111-1111-1111", "2026-11-25 [redacted]", 1],
    ["4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", "[redacted]", 1],
    ["1.4111111111111111 4111111111111111.1", "1.4111111111111111 4111111111111111.1", 0],
    ["1.5 4111111111111111 1.5", "1.5 [redacted] 1.5", 1],
    ["4111 1111 1111 1112 4111", "4111 1111 1111 1112 4111", 0],
    ["0000000000000000", "0000000000000000", 0],
    ["1234567890", "1234567890", 0],
    [
      "a task is at https://example.com/basic path",
      "a task is at https://example.com/basic path",
      0,
    ],
    ["must NOT have additional properties", "must NOT have additional properties", 0],
  ])("%j", (text, kept, redactions) => {
    expect(redactText(text)).toEqual({ text: kept, redactions });
  });

  it.each([
    JWT,
    "Bearer abcdef123456==",
    "sk-proj-abcdefghijklmnop1234",
    "ghp_0123456789abcdefghij",
    "xoxb-1234567890-abc",
    "AKIAIOSFODNN7EXAMPLE",
    `AIza${"a".repeat(35)}`,
  ])("redacts %s after an escaped line break or control character", (secret) => {
    for (const before of ["\\n", "\\t", "a\\r\\n", "\\u0001", "\\u000a", "\n"]) {
      expect(redactText(`/${before}${secret}`)).toEqual({
        text: `/${before}[redacted]`,
        redactions: 1,
      });
    }
    expect(redactText(`x${secret}`).redactions).toBe(0);
  });
});

describe("isSecretName", () => {
  it.each([
    "password",
    "api_key",
    "X-Api-Key",
    "clientSecret",
    "accessToken",
    "token",
    "Cookie",
    "pin",
  ])("is true for %s", (name) => expect(isSecretName(name)).toBe(true));
  it.each([
    "max_tokens",
    "city",
    "author",
    "pinned",
    "key",
    "tokens",
    "passenger",
    "",
    "__proto__",
  ])("is false for %s", (name) => expect(isSecretName(name)).toBe(false));
});

describe("bodyText", () => {
  it.each([
    ['{"a":1.0,"b":[1e400, "x"] }', '{"a":1.0,"b":[1e400, "x"] }', 0],
    ['{"password":"x","a":1}', '{"password":"[redacted]","a":1}', 1],
    ['{"token" : {"deep":["x",{"y":1}]}, "a":1}', '{"token" : "[redacted]", "a":1}', 1],
    [
      '{"auth":[[]],"pin":1234,"otp":null}',
      '{"auth":"[redacted]","pin":"[redacted]","otp":null}',
      2,
    ],
    ['{"pass\\u0077ord":"x"}', '{"pass\\u0077ord":"[redacted]"}', 1],
    [`{"a":"see ${JWT}"}`, '{"a":"see [redacted]"}', 1],
    ['{"n":4111111111111111}', '{"n":"[redacted]"}', 1],
    ['["password","x"]', '["password","[redacted]"]', 1],
    ['["password","x","y"]', '["password","x","y"]', 0],
    ['{"a":"password","b":"x"}', '{"a":"password","b":"x"}', 0],
    ['{"\\u0062earer":"x"}', '{"\\u0062earer":"[redacted]"}', 1],
    ["not json, password: x", "not json, password: x", 0],
    ['{"text":"a password=hunter2 b"}', '{"text":"a password=[redacted] b"}', 1],
    ['["{\\"token\\":\\"abcdef\\"}"]', '["{\\"token\\":\\"[redacted]\\"}"]', 1],
    ['{"text":"token: the one that you have"}', '{"text":"token: the one that you have"}', 0],
    [String.raw`{"a":"\\","pin":1}`, String.raw`{"a":"\\","pin":"[redacted]"}`, 1],
    [String.raw`{"a":"\\\"","pin":1}`, String.raw`{"a":"\\\"","pin":"[redacted]"}`, 1],
    [String.raw`{"a":"\"\\","pin":1}`, String.raw`{"a":"\"\\","pin":"[redacted]"}`, 1],
    ["", "", 0],
  ])("%s", (text, kept, redactions) => {
    expect(body(text)).toMatchObject({ text: kept, redactions });
  });

  it("cuts after redaction, and never leaves half a secret", () => {
    expect(body('{"a":"ü","b":1}', 7).text).toBe('{"a":"…');
    expect(body(`{"a":"${"x".repeat(50)}"}`, 10).text).toBe('{"a":"xxxx…');
    const secret = `{"password":"${"p".repeat(60_000)}","after":1}`;
    expect(body(secret, 1000).text).toBe('{"password":…');
    const early = `{"a":"${JWT}","b":"${"x".repeat(40_000)}"}`;
    expect(body(early, 100).text).toBe('{"a":"[redacted]","b":…');
  });

  it("reveals no secret wherever the cut is, and changes nothing else", () => {
    const key = fc.constantFrom("password", "api_key", "city", "Token", "x");
    const { tree } = fc.letrec((tie) => ({
      leaf: fc.oneof(fc.integer(), fc.constant(null), fc.string({ maxLength: 9 })),
      tree: fc.oneof(
        { depthSize: "small" },
        tie("leaf"),
        fc.array(tie("tree"), { maxLength: 3 }),
        fc.dictionary(key, tie("tree"), { maxKeys: 4 }),
        fc.dictionary(fc.constantFrom("password", "secret"), fc.constant("HIDDEN")),
      ),
    }));
    fc.assert(
      fc.property(tree, fc.nat(400), fc.constantFrom(0, 2), (value, maxBytes, indent) => {
        const text = JSON.stringify(value, null, indent);
        const kept = bodyText(Buffer.from(text), maxBytes);
        expect(kept.text).not.toContain("HIDDEN");
        expect(Buffer.byteLength(kept.text)).toBeLessThanOrEqual(maxBytes + 3);
        const whole = bodyText(Buffer.from(text), 1_000_000);
        expect(() => JSON.parse(whole.text)).not.toThrow();
        if (whole.redactions === 0) expect(whole.text).toBe(text);
      }),
    );
  });

  it("handles strings of many millions of characters", () => {
    const text = JSON.stringify({ a: "x y ".repeat(5_000_000), password: "hidden" });
    const kept = bodyText(Buffer.from(text), 30_000_000);
    expect([kept.text.length > 20_000_000, kept.redactions]).toEqual([true, 1]);
  });

  it("accepts any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(200), (bytes, maxBytes) => {
        const { text } = bodyText(bytes, maxBytes);
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes + 3);
        expect(text).not.toMatch(/\p{Surrogate}/u);
      }),
    );
  });
});
