import fc from "fast-check";
import { expect, it } from "vitest";
import {
  beginningWithoutSecrets,
  knownSecrets,
  rememberSecret,
  withoutKnownSecrets,
} from "./known-secrets.ts";
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

it("leaves out exactly what a plain search finds, of any secrets in any text", () => {
  // Few letters: secrets begin alike, contain one another and overlap.
  const word = fc.string({
    unit: fc.constantFrom("a", "b", "é", "\u{1f600}"),
    minLength: 6,
    maxLength: 12,
  });
  const secrets = fc.array(word, { minLength: 1, maxLength: 8 });
  const text = fc.array(fc.oneof(word, fc.string({ maxLength: 8 })), { maxLength: 12 });
  fc.assert(
    fc.property(secrets, text, (some, parts) => {
      for (const secret of some) rememberSecret(secret);
      const whole = [...parts, ...some, ...parts].join("");
      expect(withoutKnownSecrets(whole, () => "|")).toBe(plainSearch(whole));
    }),
  );
});

function plainSearch(text: string): string {
  let kept = "";
  for (let at = 0; at < text.length; ) {
    const found = knownSecrets().find((secret) => text.startsWith(secret, at));
    kept += found === undefined ? text[at] : "|";
    at += found?.length ?? 1;
  }
  return kept;
}

it("hides the rest of a text that has too many beginnings of secrets", () => {
  for (let n = 0; n < 1_000; n += 1) rememberSecret(`common-beginning-${n}`);
  const text = `${"common-beginning-x".repeat(60_000)} common-beginning-7`;
  const kept = withoutKnownSecrets(text, () => "|");
  expect(kept).toMatch(/^(?:common-beginning-x){200,300}\|$/);
  const short = `${"common-beginning-x".repeat(50)} common-beginning-7`;
  expect(withoutKnownSecrets(short, () => "|")).toBe(`${"common-beginning-x".repeat(50)} |`);
});

it("returns the beginning of a text without a part of a secret at its end", () => {
  const secret = "long-secret-".repeat(5_000);
  rememberSecret(secret);
  const beginning = (text: string) => beginningWithoutSecrets(text, 100, () => "|");
  expect(beginning(`a ${secret} b`)).toBe("a | b");
  expect(beginning(secret.repeat(9))).not.toContain("secret");
  for (const filling of ["x".repeat(99), "é".repeat(300), "x".repeat(200_000), secret]) {
    for (const times of [1, 2, 3, 5, 7]) {
      expect(beginning(`${filling.repeat(times)}${secret}`)).not.toContain("ecret-l");
    }
  }
  expect(beginning("x".repeat(600_000))).toBe("x".repeat(100));
});
