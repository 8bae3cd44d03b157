import { describe, expect, it } from "vitest";
import { SchemaCache } from "../../cache.ts";
import { compile } from "../../compile.ts";
import { CheckPool } from "../../node/check-pool.ts";
import { renderForModel } from "../render/model.ts";
import { renderForTerminal } from "../render/terminal.ts";
import { BAD_CALLS } from "../render/testing/bad-calls.ts";
import { describeIssue } from "./sentence.ts";
import { worded } from "./worded.ts";

const CITY = {
  type: "object",
  required: ["city"],
  properties: { n: { type: "integer" } },
} as const;

describe("the words of issues", () => {
  it("are sentences by default, which keep the engine's words", () => {
    const { errors } = compile(CITY).validate({ n: "1" });
    expect(errors.map(({ message }) => message)).toEqual([
      "/city is required",
      "/n must be an integer (got a string of 1 character)",
    ]);
    expect(errors.map(({ nativeMessage }) => nativeMessage)).toEqual([
      "must have required property 'city'",
      "must be integer",
    ]);
  });

  it("are the engine's alone if they are asked for", () => {
    const { errors } = compile(CITY, { messages: "native" }).validateText('{"n":"1"}');
    expect(errors.map(({ message }) => message)).toEqual([
      "must have required property 'city'",
      "must be integer",
    ]);
    expect(errors.some((issue) => "nativeMessage" in issue)).toBe(false);
  });

  it("are the same for values, texts, bytes, Standard Schema, and threads", async () => {
    const schema = compile(CITY);
    const value = { n: "1" };
    const text = JSON.stringify(value);
    const { errors } = schema.validate(value);
    expect(schema.validateText(text).errors).toEqual(errors);
    expect(schema.validateText(new TextEncoder().encode(text)).errors).toEqual(errors);
    const { issues = [] } = (await schema["~standard"].validate(value)) as {
      issues?: readonly { message: string }[];
    };
    expect(issues.map(({ message }) => message)).toEqual(errors.map(({ message }) => message));
    const pool = new CheckPool();
    try {
      const options = { messages: "plain" } as const;
      const handed = new SchemaCache({ readNow: 0 }).get({ value: CITY }, options);
      expect((await handed.validateLater(text, pool.laterFor("a"))).errors).toEqual(errors);
    } finally {
      await pool.close();
    }
  });

  it("are sentences for warnings, too", () => {
    const { warnings } = compile({ properties: { a: { format: "zip" } } });
    expect(warnings[0]?.message).toBe(
      '/properties/a/format: the format "zip" is not known and is ignored',
    );
    const [lossy] = compile(true).validateText('{"id":9007199254740993}').warnings;
    expect(lossy?.message).toMatch(/^\/id cannot be held by an IEEE 754 double/);
    expect(lossy?.nativeMessage).toContain("9007199254740993");
  });

  it("have the bounds of the options", () => {
    const schema = compile({ items: { type: "integer" } });
    const { errors, truncated } = schema.validate(Array(500).fill("a"), { maxText: 1_000 });
    const bytes = errors.reduce((sum, { message }) => sum + message.length, 0);
    expect(bytes).toBeLessThanOrEqual(1_000);
    expect(errors.length + (truncated ?? 0)).toBe(500);
  });
});

it.each(BAD_CALLS)(
  "$name: reports about sentences say what they say about the engine's words",
  ({ schema, args }) => {
    const text = JSON.stringify(args);
    const plain = compile(schema as object).validateText(text);
    const native = compile(schema as object, { messages: "native" }).validateText(text);
    expect(renderForModel(plain)).toBe(renderForModel(native));
    const shown = (check: typeof plain): string =>
      renderForTerminal({ name: "a.json", check, bytes: new TextEncoder().encode(text) });
    expect(shown(plain)).toBe(shown(native));
    for (const [i, issue] of plain.errors.entries()) {
      const own = native.errors[i];
      if (own === undefined) throw new Error("there are more sentences than issues");
      expect(issue.message).toBe(describeIssue(own));
      expect(issue.nativeMessage ?? issue.message).toBe(own.message);
      expect(worded(issue)).toEqual(issue);
      // The same holds if both issues were read back from JSON.
      const copy = JSON.parse(JSON.stringify([issue, own]));
      expect(describeIssue(copy[0])).toBe(describeIssue(copy[1]));
    }
  },
);
