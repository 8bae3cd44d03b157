import type { JsonObject } from "@touchstone/core/advanced";
import { describe, expect, it } from "vitest";
import type { AdaptSettings } from "../features/adapt/adapt.ts";
import type { ValidationSettings } from "../settings/validation.ts";
import { all, call, Harness, LEGACY, MODERN, parse } from "./testing/harness.ts";

const TOOL = {
  name: "add",
  inputSchema: {
    type: "object",
    properties: {
      n: { type: "integer", minimum: 0, maximum: 100 },
      s: { type: "string", enum: ["a", "b", "c"] },
      p: { type: "string", minLength: 2, maxLength: 50 },
      l: { type: "array", items: { type: "integer", maximum: 50 }, maxItems: 9 },
      f: { type: "string" },
    },
    required: ["n"],
    additionalProperties: false,
  },
};
const NARROW = {
  properties: {
    n: { maximum: 10 },
    s: { enum: ["a"] },
    p: { maxLength: 5, pattern: "^x" },
    l: { maxItems: 2, items: { maximum: 3 } },
    f: { within: ["/notes"] },
  },
  required: ["s"],
};

type Shown = readonly JsonObject[];
interface Started {
  readonly h: Harness;
  /** The tools as the client saw them. */
  readonly shown: Shown;
}

async function started(
  settings: ValidationSettings,
  tool: { readonly name: string },
  revision: string = LEGACY,
  isListed = true,
): Promise<Started> {
  const { policy, ...base } = settings;
  const tools = policy === undefined ? undefined : { [tool.name]: settings };
  const h = new Harness({ settings: base, ...(tools && { tools }), revision });
  if (!isListed) {
    await h.list([tool]);
    h.pipeline.conversation.client = "touchstone-http/1";
    return { h, shown: [] };
  }
  const { onward } = await h.list([tool]);
  return { h, shown: (parse(onward) as { result: { tools: Shown } }).result.tools };
}

let id = 10;
async function textFor(
  h: Harness,
  name: string,
  args: unknown,
  revision = LEGACY,
): Promise<string> {
  const { back } = await h.client(call(++id, name, JSON.stringify(args), "", revision));
  const { result } = parse(back?.[0]) as { result: { content: [{ text: string }] } };
  return result.content[0].text;
}
const linesOf = (text: string): readonly string[] =>
  text.split("\n").flatMap((line) => (line.startsWith("- ") ? [line.slice(2)] : []));

const advertised = (mode: "warn" | "strict" = "strict"): ValidationSettings => ({
  ...all(mode),
  policy: {
    ...{ mode: "strict", levels: [], advertise: true },
    narrow: { schema: NARROW, written: NARROW, secrets: [] },
  },
});

describe.each([LEGACY, MODERN])(
  "a refusal of a tool whose list shows policy, in %s",
  (revision) => {
    it.each([
      [
        { n: "x", s: "a" },
        [
          "Change /n: must be an integer; it is a string of 1 character: send an integer from 0 to 10.",
        ],
      ],
      [{ n: 500, s: "a" }, ["Change /n: it must be at most 10."]],
      [{ n: 1, s: 5 }, ['Change /s: must be "a"; it is an integer.']],
      [{ n: 1, s: "q" }, ['Change /s: must be "a"; it is a string of 1 character.']],
      [
        {},
        ["Add /n, which is required: an integer from 0 to 10.", 'Add /s, which is required: "a".'],
      ],
      [
        { n: 1, s: "a", p: 5 },
        [
          'Change /p: must be a string; it is an integer: send a string of 2 to 5 characters that matches "^x".',
        ],
      ],
      [
        { n: 1, s: "a", l: "x" },
        [
          "Change /l: must be an array; it is a string of 1 character: send an array of at most 2 items, each item an integer of at most 3.",
        ],
      ],
      [
        { n: 1, s: "a", l: ["x"] },
        [
          "Change /l/0: must be an integer; it is a string of 1 character: send an integer of at most 3.",
        ],
      ],
      // Only policy refuses these arguments.
      [{ n: 50, s: "a" }, ["Change /n: it must be at most 10."]],
      [{ n: 1 }, ['Add /s, which is required: "a".']],
      [{ n: 1, s: "a", f: "/etc/x" }, [expect.stringContaining('inside "/notes"')]],
    ])("advises for %j by the schema that was shown", async (args, lines) => {
      const { h } = await started(advertised(), TOOL, revision);
      expect(linesOf(await textFor(h, "add", args, revision))).toEqual(lines);
    });

    it("names no place for policy in which it forbids nothing", async () => {
      const { h } = await started(advertised("warn"), TOOL, revision);
      const text = await textFor(h, "add", { n: 50, s: "a", p: 5, f: "/notes/x" }, revision);
      expect(text).toContain("this gateway's policy forbids it");
      expect(linesOf(text)).toEqual(["Change /n: it must be at most 10."]);
    });
  },
);

it("advises by the server's schema if the client was shown that", async () => {
  const { h } = await started(advertised(), TOOL, LEGACY, false);
  expect(linesOf(await textFor(h, "add", { n: "x", s: "a" }))).toEqual([
    "Change /n: must be an integer; it is a string of 1 character: send an integer from 0 to 100.",
  ]);
});

const ADAPT: AdaptSettings = {
  ...{ unusableTools: "pass", outputSchema: "pass", pages: "pass" },
  ...{ for: ["zed"], steps: ["same", "narrower", "wider"], mirrorContent: false },
  descriptions: { stripHidden: false },
};

const ADAPTED = {
  name: "t",
  inputSchema: {
    type: "object",
    properties: {
      m: { type: "string", pattern: "^(?=a)b*a", format: "uri" },
      o: { type: "object", properties: { n: { type: "integer", exclusiveMinimum: 0 } } },
      d: { $ref: "#/$defs/d", default: 3 },
    },
    $defs: { d: { type: "integer", maximum: 4 } },
    anyOf: [{ required: ["m"] }, { required: ["o"] }],
  },
};

it.each([
  // The bound and the default value from the list that the client saw.
  [
    { o: { n: "x" } },
    "Change /o/n: must be an integer; it is a string of 1 character: send an integer of at least 1.",
  ],
  [{ o: { n: -1 } }, "Change /o/n: it must be at least 1."],
  [{ o: {}, d: 9 }, "Change /d: it must be at most 4; its default is 3."],
  // The server still requires what the list omits.
  [{}, "Add /m or /o: one of them is required."],
  [
    { m: "aba" },
    'Change /m: it must be a valid "uri", like "https://example.com/a"; it is a string of 3 characters.',
  ],
])("advises for %j by the schema that was adapted to the client", async (args, line) => {
  const { h, shown } = await started({ ...all("strict"), adapt: ADAPT }, ADAPTED);
  expect(shown[0]).toEqual({
    name: "t",
    inputSchema: {
      type: "object",
      properties: {
        m: { type: "string", pattern: "^(?=a)b*a" },
        o: { type: "object", properties: { n: { type: "integer", minimum: 1 } } },
        d: { type: "integer", maximum: 4, default: 3 },
      },
    },
  });
  expect(linesOf(await textFor(h, "t", args))).toEqual([line]);
});
