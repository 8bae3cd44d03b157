import { expect, it } from "vitest";
import { knownSecrets, rememberSecret } from "./known-secrets.ts";
import { redactText } from "./secret-text.ts";

const REDACTED = "[redacted]";

it.each([
  ["plain-secret-of-a-test"],
  ['with "quotes" and \\ of a test'],
  ["two\nlines of a test"],
  ["p@ss/word+of=a test"],
  ["ünïcode of a test"],
])("hides %j, also inside JSON and in URLs", (secret) => {
  rememberSecret(secret);
  const json = JSON.stringify({ a: `x${secret}y` });
  const texts = [
    `a ${secret} b`,
    json,
    `https://x.example/?k=${encodeURIComponent(secret)}&z=1`,
    `${secret}${secret}`,
  ];
  for (const text of texts) {
    const { text: kept, redactions } = redactText(text);
    expect(kept).toContain(REDACTED);
    expect(redactions).toBeGreaterThan(0);
    for (const part of secret.match(/[\p{L} ]{6,}/gu) ?? []) expect(kept).not.toContain(part);
  }
});

it("hides the longer of two secrets whole", () => {
  rememberSecret("inner-secret");
  rememberSecret("outer-inner-secret-outer");
  expect(redactText("x outer-inner-secret-outer inner-secret").text).toBe(
    `x ${REDACTED} ${REDACTED}`,
  );
});

it("does not hide what occurs by chance", () => {
  rememberSecret("12345");
  expect(redactText("12345").text).toBe("12345");
});

it("remembers at most 1,000 texts, the newest ones", () => {
  for (let n = 0; n < 1_200; n += 1) rememberSecret(`number-${n}-of-many`);
  expect(knownSecrets()).toHaveLength(1_000);
  expect(redactText("number-1199-of-many").text).toBe(REDACTED);
  expect(redactText("number-3-of-many").text).toBe("number-3-of-many");
});
