import { runSteps } from "@touchstone/core/advanced";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bodyText } from "./body.ts";
import { redactJson } from "./redact-json.ts";

const R = "[redacted]";
const kept = (value: unknown): unknown => {
  const text = JSON.stringify(value);
  return JSON.parse(runSteps(redactJson(text, true)).text);
};
const base64 = (text: string): string => Buffer.from(text).toString("base64");

describe("redactJson", () => {
  it.each([
    ["a member that names it", { name: "password", value: "p" }, { name: "password", value: R }],
    ["such a member after it", { value: "p", name: "API_KEY" }, { value: R, name: "API_KEY" }],
    [
      "a field of a form",
      { fields: [{ element: "Password field", ref: "e1", text: "p" }] },
      { fields: [{ element: "Password field", ref: "e1", text: R }] },
    ],
    [
      "an operation of JSON Patch",
      [{ op: "replace", path: "/users/0/pin", value: 1234 }],
      [{ op: "replace", path: "/users/0/pin", value: R }],
    ],
    [
      "a whole value before its name",
      { input: { a: [{ b: "p" }] }, key: "secret", x: 1 },
      { input: R, key: "secret", x: 1 },
    ],
    [
      "several values",
      { text: "p", value: ["q"], label: "Token", data: null },
      { text: R, value: R, label: "Token", data: null },
    ],
    ["the word after an option", ["run", "--password", "p", "x"], ["run", "--password", R, "x"]],
    ["a login after -u", ["curl", "-u", "me:p"], ["curl", "-u", R]],
    [
      "JSON in a string",
      { body: '{"pin":12,"a":{"auth":{"x":"p"}}}' },
      { body: `{"pin":"${R}","a":{"auth":"${R}"}}` },
    ],
    [
      "JSON in a string in a string",
      { body: JSON.stringify({ inner: JSON.stringify({ password: "a b", city: "Oslo" }) }) },
      { body: JSON.stringify({ inner: JSON.stringify({ password: R, city: "Oslo" }) }) },
    ],
    [
      "JSON after other text",
      { text: 'see {"password":"a\\"b c"} there' },
      { text: `see {"password":"${R}"} there` },
    ],
    ["base64 of JSON", { data: base64('{"password":"hunter2"}') }, { data: R }],
    ["base64 of a header", { data: base64("Authorization: Bearer abcdef123456") }, { data: R }],
    [
      "a name in other letters",
      { ｐａｓｓｗｏｒｄ: "p", pаsswоrd: "p", pásswörd: "p", "pass\u200bword": "p" },
      { ｐａｓｓｗｏｒｄ: R, pаsswоrd: R, pásswörd: R, "pass\u200bword": R },
    ],
    [
      "the end of a long name",
      { [`${"x".repeat(600)}_password`]: "p" },
      { [`${"x".repeat(600)}_password`]: R },
    ],
    [
      "the end of a name",
      { db_pass: "p", smtpPass: "p", MYSQL_PWD: "p", pin_code: 1, bypass: 1 },
      { db_pass: R, smtpPass: R, MYSQL_PWD: R, pin_code: R, bypass: 1 },
    ],
    ["a name before its value", [["X-Api-Key", "p"], 1], [["X-Api-Key", R], 1]],
    [
      "names and values by turns",
      ["Host", "x", "Cookie", ["p"], "Accept", "y"],
      ["Host", "x", "Cookie", R, "Accept", "y"],
    ],
    [
      "members of any names for both",
      [
        { k: "X-Api-Key", v: "p" },
        { fieldName: "token", fieldValue: "p" },
        { type: "password", new_value: "p" },
      ],
      [
        { k: "X-Api-Key", v: R },
        { fieldName: "token", fieldValue: R },
        { type: "password", new_value: R },
      ],
    ],
    [
      "an option of one letter",
      ["docker", "login", "-u", "me", "-p", "p"],
      ["docker", "login", "-u", "me", "-p", R],
    ],
    [
      "JSON inside of text",
      { text: '```json\n[{"name":"token","value":["p"]}]\n```' },
      { text: `\`\`\`json\n[{"name":"token","value":"${R}"}]\n\`\`\`` },
    ],
    [
      "JSON after a word",
      { text: 'POST {"password":{"a":["p"]}} token=b' },
      { text: `POST {"password":"${R}"} token=${R}` },
    ],
    ["a login in a URL", { url: "https://me:p@x.example/" }, { url: `https://${R}@x.example/` }],
  ])("redacts a secret by %s", (_, value, expected) => {
    expect(kept(value)).toEqual(expected);
  });

  it.each([
    [{ name: "city", value: "Oslo" }],
    [{ name: "password" }, { value: "of another object" }],
    [{ name: "password", options: ["x"], description: "choose one" }],
    [["--password", "--verbose"]],
    [["sort", "-k", "a:b"]],
    [{ data: base64("a text about nothing in particular") }],
    [{ data: Buffer.from([1, 2, 3, 0, 255, 254, 7, 8, 9, 10, 11, 12, 13]).toString("base64") }],
    [{ text: '{"city":"Oslo","list":[1,2,{"a":null}]}' }],
    [{ text: "[INFO] {not json" }],
    [{ required: ["city", "password", "email"] }],
    [["mkdir", "-p", "a"]],
  ])("changes nothing in %j", (...values) => {
    expect(kept(values)).toEqual(values);
  });

  it("drops values whose name may follow after the cut", () => {
    const source = `{"a":1,"list":[{"value":"hunter2","pad":"${"x".repeat(30_000)}","name":"password"}]}`;
    const { text } = bodyText(Buffer.from(source), 4096);
    expect(text).toBe(`{"a":1,"list":[{"value":"${R}","pad":…`);
  });

  it.each([
    ['{"value":{"value":1', `{"value":"${R}"`],
    ['{"value":[{"value":[1,2', `{"value":"${R}"`],
    ['[{"x":1,"value":{"a":2,"text":{"value":3},"data":[', `[{"x":1,"value":"${R}"`],
  ])("drops values inside of values in %s", (source, text) => {
    expect(runSteps(redactJson(source, false)).text).toBe(text);
  });

  it.each([
    ['{"value":', "", `{"value":"${R}"`],
    ['["password",', "", `["password","${R}"`],
    ['{"value":', `,"name":"password"}`, `{"value":"${R}","name":"password"}`],
    ['["password",', "]", `["password","${R}"]`],
  ])("drops values in 50,000 of %s once each", (opening, closing, expected) => {
    const source = `${opening.repeat(50_000)}1${closing.repeat(50_000)}`;
    expect(runSteps(redactJson(source, false)).text).toBe(expected);
  });

  it.each([
    ['{"a":1}', true, true],
    ['{"a":1', true, false],
    ['{"a":"x', true, false],
    ['{"a":[1}', false, false],
    ['{"a":nope}', false, true],
    ['{"a":"\\x"}', false, true],
    ['"a":1', false, true],
    ['["a":1]', false, true],
    ["]", false, true],
    ["TRUE", false, true],
    ["-0.5e3", true, true],
  ])("reports what %s is", (text, isJson, isWhole) => {
    expect(runSteps(redactJson(text, true))).toMatchObject({ isJson, isWhole });
  });

  const SECRET = "hunter2-S3CRET";
  const hidden = fc.constantFrom(
    ...[{ password: SECRET }, { name: "api_key", value: SECRET }, { value: SECRET, key: "token" }],
    ...[["--secret", SECRET], { a: `password=${SECRET}` }, { a: `{"token":"${SECRET}"}` }],
    ...[{ a: `x --password ${SECRET}` }, { a: `https://me:${SECRET}@h/` }, `Bearer ${SECRET}`],
  );
  const around = fc.letrec<{ any: unknown }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      hidden,
      fc.string({ maxLength: 8, unit: "binary" }),
      fc.array(tie("any"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom("a", "text", "value", "name", "😀"), tie("any"), {
        maxKeys: 3,
      }),
      tie("any").map((value) => JSON.stringify(value)),
    ),
  })).any;

  it("keeps no part of a secret, however deep it is and wherever the text is cut", () => {
    fc.assert(
      fc.property(around, fc.nat(60), fc.boolean(), (value, maxBytes, isLong) => {
        const pad = isLong ? "x".repeat(16_300) : "";
        const bytes = Buffer.from(JSON.stringify([value, pad, value]));
        for (const text of [bodyText(bytes, maxBytes).text, bodyText(bytes, 100_000).text]) {
          expect(text).not.toContain("hunter2");
          expect(text).not.toContain("S3CRET");
        }
      }),
    );
  });
});
