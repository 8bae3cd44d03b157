import { describe, expect, it } from "vitest";
import type { CheckFact } from "../insight/telemetry/telemetry.ts";
import { DEFAULT_SETTINGS, type InputCheckSettings } from "../settings/validation.ts";
import { Refusals } from "./refusals.ts";
import { call, Harness, parse } from "./testing/harness.ts";

const TOOL = {
  name: "add",
  inputSchema: {
    type: "object",
    description: 'Adds  "two" numbers',
    properties: { a: { type: "integer" }, b: { type: "string" } },
    required: ["a"],
  },
};
const AGAIN = "The same arguments were blocked before";
const SCHEMA = "The tool's input schema: ";

async function started(
  changes: Partial<InputCheckSettings> = {},
  tool: object = TOOL,
): Promise<{ readonly h: Harness; readonly facts: CheckFact[] }> {
  const { input, ...rest } = DEFAULT_SETTINGS;
  const facts: CheckFact[] = [];
  const telemetry = {
    now: () => 0,
    begin: () => undefined,
    checked: (fact: CheckFact) => facts.push(fact),
    appended: () => {},
  };
  const settings = { ...rest, input: { ...input, mode: "strict" as const, ...changes } };
  const h = new Harness({ settings, telemetry });
  await h.list([tool]);
  return { h, facts };
}

let id = 0;
async function told(h: Harness, args: string): Promise<string> {
  const { back } = await h.client(call(++id, "add", args));
  const { result } = parse(back?.[0]) as { result: { content: [{ text: string }] } };
  return result.content[0].text;
}

describe("a call that is refused repeatedly", () => {
  it("says so from the second time on, and is counted", async () => {
    const { h, facts } = await started();
    const first = await told(h, '{"a":"1"}');
    expect(first).not.toContain(AGAIN);
    expect(first).toMatch(/Correct the arguments and call the tool again\.$/);
    expect(await told(h, '{"a":"1"}')).toContain(AGAIN);
    expect(await told(h, '{ "a": "\\u0031" }')).toContain(AGAIN);
    expect(facts.filter(({ repeated }) => repeated === true)).toMatchObject([
      { direction: "input", decision: "blocked" },
      { direction: "input", decision: "blocked" },
    ]);
    expect(h.records("policy_decision").at(-1)).toMatchObject({
      response_text: expect.stringContaining(AGAIN),
    });
  });

  it("is recognized in any order of its keys, but not with other values", async () => {
    const { h } = await started();
    await told(h, '{"a":"1","b":[{"x":1,"y":2}]}');
    expect(await told(h, '{"b":[{"y":2,"x":1}],"a":"1"}')).toContain(AGAIN);
    expect(await told(h, '{"b":[{"y":2,"x":2}],"a":"1"}')).not.toContain(AGAIN);
    expect(await told(h, '{"b":[["x",1],["y",2]],"a":"1"}')).not.toContain(AGAIN);
  });

  it("is distinguished by digits that no double can hold", async () => {
    const { h } = await started();
    await told(h, '{"a":"1","b":9007199254740993}');
    expect(await told(h, '{"a":"1","b":9007199254740992}')).not.toContain(AGAIN);
    expect(await told(h, '{"a":"1","b":9007199254740993}')).toContain(AGAIN);
  });

  it("is forgotten after ten minutes", async () => {
    const { h } = await started();
    await told(h, "{}");
    h.clock += 600_001;
    expect(await told(h, "{}")).not.toContain(AGAIN);
  });

  it("is not counted if it was only recorded, or has an unusable schema", async () => {
    const { h, facts } = await started({ mode: "warn" });
    await h.client(call(++id, "add", "{}"));
    await h.client(call(++id, "add", "{}"));
    const { h: broken } = await started(
      { onInvalidSchema: "block" },
      { name: "add", inputSchema: { type: "nonsense" } },
    );
    await told(broken, "{}");
    expect(await told(broken, "{}")).not.toContain(AGAIN);
    expect(facts.some(({ repeated }) => repeated === true)).toBe(false);
  });
});

describe("Refusals", () => {
  it("keeps sessions apart, and without sessions callers and clients", () => {
    const refusals = new Refusals(() => 0);
    const repeats = (own: object) => refusals.repeats(Buffer.from("{}"), "t", own);
    const people = [
      { session: "a" },
      { session: "b" },
      { credentials: "x", client: "c/1" },
      { credentials: "y", client: "c/1" },
      { credentials: "x", client: "c/2" },
    ];
    expect(people.map(repeats)).toEqual(people.map(() => false));
    expect(people.map(repeats)).toEqual(people.map(() => true));
    expect(refusals.repeats(undefined, "t", { session: "a" })).toBe(true);
    expect(refusals.repeats(undefined, "other", { session: "a" })).toBe(false);
  });

  it.each([
    ['{"a":1,"b":{"c":2,"d":3}}', '{ "b": {"d":3,"c":2}, "\\u0061": 1 }', true],
    ['{"a":1}', '{"a":2}', false],
    ["[1,2]", "[2,1]", false],
    ['{"a":9007199254740993}', '{"a":9007199254740992}', false],
    ['{"a":1,"a":2}', '{"a":2}', false],
  ])("treats %s and %s as the same: %s", (one, other, same) => {
    const refusals = new Refusals(() => 0);
    expect(refusals.repeats(Buffer.from(one), "t", {})).toBe(false);
    expect(refusals.repeats(Buffer.from(other), "t", {})).toBe(same);
  });

  it("remembers the last thousand refusals", () => {
    const refusals = new Refusals(() => 0);
    const repeats = (n: number) => refusals.repeats(Buffer.from(`[${n}]`), "t", {});
    for (let n = 0; n <= 1_000; n++) expect(repeats(n)).toBe(false);
    expect([repeats(1_000), repeats(0)]).toEqual([true, false]);
  });
});

describe("the schema of a tool", () => {
  it("is shown with a refusal if configured, without white space between tokens", async () => {
    const { h } = await started({ showSchema: "small" });
    const text = await told(h, "{}");
    expect(text.split("\n").at(-1)).toBe(SCHEMA + JSON.stringify(TOOL.inputSchema));
  });

  it("is not shown by default, or if it is large", async () => {
    expect(await told((await started()).h, "{}")).not.toContain(SCHEMA);
    const inputSchema = { ...TOOL.inputSchema, description: "x".repeat(2_048) };
    const { h } = await started({ showSchema: "small" }, { ...TOOL, inputSchema });
    expect(await told(h, "{}")).not.toContain(SCHEMA);
  });

  it("is shown on one line, with hidden characters escaped", async () => {
    const inputSchema = { ...TOOL.inputSchema, description: "\u202ehidden" };
    const { h } = await started({ showSchema: "small" }, { ...TOOL, inputSchema });
    const last = (await told(h, "{}")).split("\n").at(-1);
    expect(last).toContain('"description":"\\u{202e}hidden"');
  });
});
