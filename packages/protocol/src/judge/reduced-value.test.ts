import { encodeUtf8, runSteps } from "@touchstone/core/advanced";
import { describe, expect, it } from "vitest";
import { long, sample } from "../../../core/src/testing/sample.ts";
import { compiledMessage } from "../messages/compiled.ts";
import { MESSAGE_TABLES, messagesOf } from "../messages/tables.ts";
import { readFrame } from "../read.ts";
import { revisionOf } from "../revisions/revisions.ts";
import { fixturesOf } from "../testing/fixtures.ts";
import { answer, fromServer } from "../testing/judged.ts";
import { mutationsOf } from "../testing/mutate.ts";
import { judgeMessage } from "./judge-message.ts";
import { demandsOf } from "./message-parts.ts";
import { originalIssues, reduceValue } from "./reduced-value.ts";

/** Every nth mutation is tested. The number is prime, so that the mutations vary. */
const EVERY = sample(401, 101, 1);
const MIB = 1_048_576;

/** The same value as a text with white space and escapes, as other programs may write it. */
const written = (value: unknown): string =>
  JSON.stringify(value, undefined, 1).replaceAll("/", "\\/").replaceAll('"type"', '"t\\u0079pe"');

describe.each(MESSAGE_TABLES.map(({ version }) => version))(
  "the parts that schemas examine, %s",
  (version) => {
    it("give the same result and places as the whole message", () => {
      const table = messagesOf(version);
      const revision = revisionOf(version);
      if (table === undefined || revision === undefined) throw new Error("no table");
      let seen = 0;
      const verdicts = new Set<boolean>();
      for (const { message, sender, requestMethod } of fixturesOf(version)) {
        for (const { make } of mutationsOf(message)) {
          if (seen++ % EVERY !== 0) continue;
          const frame = readFrame(encodeUtf8(written(make())));
          const setting = { revision, table, sender, tasksExtension: false };
          const { part } = demandsOf(frame, setting, requestMethod);
          if (part === undefined) continue;
          const { definition, range } = part;
          const text = runSteps(reduceValue(frame, table, range, definition, MIB));
          const schema = compiledMessage(table, definition);
          const whole = schema.validateText(frame.bytes.subarray(range.start, range.end));
          const check = schema.validateText(text?.bytes ?? "");
          const errors = text ? originalIssues(check.errors, text, 1_000).issues : [];
          const found = { ...check, errors };
          const places = (check: typeof whole) =>
            check.errors.map(({ path, keyword }) => [path, keyword]);
          expect(places(found).sort()).toEqual(places(whole).sort());
          verdicts.add(whole.valid);
        }
      }
      expect(verdicts).toEqual(new Set([true, false]));
    });
  },
);

describe("a large message", () => {
  const LARGE = "QUJD".repeat(MIB);
  const call = fromServer("tools/call");

  it.each([
    ["an image without its mimeType", { type: "image", data: LARGE }, "mimeType required"],
    ["an image", { type: "image", data: LARGE, mimeType: "image/png" }, undefined],
    [
      "an image as a data: URL",
      { type: "image", data: `data:image/png;base64,${LARGE}`, mimeType: "image/png" },
      "data pattern",
    ],
    ["audio in base64url", { type: "audio", data: `${LARGE}_-8=`, mimeType: "a" }, "data pattern"],
    ["junk in a blob", { type: "resource", resource: { uri: "u", blob: `${LARGE}!` } }, "resource"],
    ["a blob", { type: "resource", resource: { uri: "u", blob: LARGE } }, undefined],
    ["text that is not base64", { type: "text", text: `${LARGE}!` }, undefined],
    ["a type that there is not", { type: LARGE }, "type enum"],
    ["annotations", { type: "text", text: LARGE, annotations: { priority: 2 } }, "annotations"],
  ])("is examined: %s", (_, block, fault) => {
    const check = judgeMessage(answer({ content: [{ type: "text", text: "" }, block] }), call);
    expect(check.unchecked).toBeUndefined();
    const found = check.errors.map(({ path, keyword }) => `${path} ${keyword}`);
    if (fault === undefined) expect(found).toEqual([]);
    else expect(found[0]).toContain(`/result/content/1/${fault}`);
  });

  it("is examined except for the inside of structured content", () => {
    const large = { a: LARGE, b: [{ c: LARGE }] };
    for (const [structuredContent, valid] of [
      [large, true],
      [[large], false],
    ]) {
      const check = judgeMessage(answer({ content: [], structuredContent }), call);
      expect(check).toMatchObject({ valid });
    }
    const wrong = judgeMessage(answer({ structuredContent: large }), call);
    expect(wrong.errors).toMatchObject([{ path: "/result/content", keyword: "required" }]);
  });

  it("is examined item by item if it is a list", () => {
    const tool = { name: "t", description: LARGE, inputSchema: { type: "object", x: [LARGE] } };
    const tools = [tool, { ...tool, title: 5 }, { ...tool, inputSchema: { type: "array" } }];
    const check = judgeMessage(answer({ tools }), fromServer("tools/list"));
    expect(check.valid).toBe(true);
    expect(check.items.map(({ path }) => path)).toEqual(["/result/tools/1", "/result/tools/2"]);
  });

  it("examines similar items once, and reports the place of each", long, () => {
    const block = (i: number): object => ({ type: "text", text: `${i} ${"x".repeat(i % 50)}` });
    const content = Array.from({ length: 50_000 }, (_, i) =>
      i % 10_000 === 7 ? { ...block(i), text: i } : block(i),
    );
    const check = judgeMessage(answer({ content }), { ...call, maxBytes: 1_000 });
    expect(check.errors.map(({ path }) => path)).toEqual(
      [7, 10_007, 20_007, 30_007, 40_007].map((i) => `/result/content/${i}/text`),
    );
  });

  it("says that a string is not base64", () => {
    const content = [{ type: "image", data: "a-_=", mimeType: "image/png" }];
    const { errors } = judgeMessage(answer({ content }), call);
    expect(errors).toMatchObject([
      { path: "/result/content/0/data", message: expect.stringContaining("must be base64") },
    ]);
  });

  it("is not checked if it exceeds the limit, and says so", () => {
    const content = Array.from({ length: 1_000 }, (_, i) => ({ type: "image", data: i + 0.5 }));
    const check = judgeMessage(answer({ content }), { ...call, maxBytes: 10_000 });
    expect(check).toMatchObject({ valid: true, unchecked: "maxBytes" });
  });
});
