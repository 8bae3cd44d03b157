import { describe, expect, it } from "vitest";
import {
  type ArgumentChecks,
  createHandler,
  type Fault,
  type FetchHandler,
  type UIConfig,
} from "./index.ts";
import { post } from "./testing/fixtures.ts";

const TOOL = {
  name: "book",
  inputSchema: {
    type: "object",
    properties: {
      city: { type: "string" },
      nights: { type: "integer" },
      guests: { type: "array", items: { properties: { age: { type: "integer" } } } },
    },
    required: ["city"],
  },
};
const CLOSED = { ...TOOL.inputSchema, additionalProperties: false };

function served(options: UIConfig, inputSchema: object = TOOL.inputSchema): FetchHandler {
  const ran = { content: [{ type: "text", text: "ran" }] };
  const config = { allowExecute: true, ...options };
  return createHandler([{ ...TOOL, inputSchema }], () => ran, config);
}

async function ask(handler: FetchHandler, path: string, body: string) {
  const response = await handler(new Request(`http://127.0.0.1${path}`, post(body)));
  return JSON.parse(await response.text());
}

const warning = { treat: "warning" } as const;
const violation = { treat: "violation" } as const;

/** Arguments, the checks to apply, and the places of the expected errors and warnings. */
const CASES: readonly [
  what: string,
  checks: ArgumentChecks,
  args: string,
  errors: readonly string[],
  warnings?: readonly string[],
][] = [
  ["plain", {}, '{"city":5}', ["/city"]],
  ["a class", { rules: { type: "warning" } }, '{"city":5}', [], ["/city"]],
  ["a class that is ignored", { rules: { type: "ignore" } }, '{"city":5}', []],
  ["a place", { rules: { "/city": "warning" } }, '{"city":5}', [], ["/city"]],
  ["another place", { rules: { "/nights": "warning" } }, '{"city":5}', ["/city"]],
  [
    "a pattern",
    { rules: { "/guests/*/age": "ignore" } },
    '{"city":"a","guests":[{"age":"1"},{"age":"2"}]}',
    [],
  ],
  [
    "a place among others",
    { rules: { "/city": "ignore" } },
    '{"city":5,"nights":"x"}',
    ["/nights"],
  ],
  [
    "a place that is stricter than its class",
    { rules: { type: "ignore", "/nights": "violation" } },
    '{"city":5,"nights":"x"}',
    ["/nights"],
  ],
  ["undeclared, by default", {}, '{"city":"a","cty":1}', []],
  ["undeclared", { undeclared: violation }, '{"city":"a","cty":1}', ["/cty"]],
  ["undeclared as a warning", { undeclared: warning }, '{"city":"a","cty":1}', [], ["/cty"]],
  ["undeclared inside", { undeclared: violation }, '{"city":"a","guests":[{"name":"b"}]}', []],
  [
    "undeclared inside, if deep",
    { undeclared: { ...violation, deep: true } },
    '{"city":"a","guests":[{"name":"b"}]}',
    ["/guests/0/name"],
  ],
  [
    "undeclared, with a place",
    { undeclared: violation, rules: { "/cty": "ignore" } },
    '{"city":"a","cty":1}',
    [],
  ],
  [
    "undeclared, with its class, which says nothing of it",
    { undeclared: violation, rules: { extra: "ignore" } },
    '{"city":"a","cty":1}',
    ["/cty"],
  ],
  ["depth", { maxDepth: 2 }, '{"city":"a","guests":[{}]}', [""]],
  ["a guard that only warns", { maxDepth: 2, rules: { guard: "warning" } }, '{"a":[{}]}', [], [""]],
];

describe("the option checks", () => {
  it.each(CASES)(
    "gives the same result on every route: %s",
    async (_, checks, args, errors, warnings) => {
      const handler = served({ checks });
      const places = (issues: readonly { readonly path: string }[] = []) =>
        issues.map(({ path }) => path);
      const one = await ask(handler, "/tools/book/validate", args);
      expect(one).toEqual(
        errors.length === 0 ? { valid: true } : { valid: false, errors: expect.anything() },
      );
      expect(places(one.errors)).toEqual(errors);
      const full = await ask(handler, "/tools/book/validate?detail=full", args);
      expect([full.valid, places(full.errors)]).toEqual([one.valid, errors]);
      expect(places(full.warnings)).toEqual(warnings ?? []);
      const calls = `{"calls":[{"tool":"book","arguments":${args}}]}`;
      expect((await ask(handler, "/validate", calls)).results).toEqual([one]);
      const called = await ask(handler, "/tools/book/call", args);
      expect(called.isError).toBe(!one.valid);
      expect(called.structuredContent).toEqual(one.valid ? undefined : one);
    },
  );

  it("can be a function of the tool, and accepts repaired arguments with only warnings", async () => {
    const asked: string[] = [];
    const checks = ({ name }: { name: string }): ArgumentChecks => {
      asked.push(name);
      return { rules: { type: "warning" } };
    };
    const repaired: string[] = [];
    const options = { checks, repair: "safe" as const };
    const onRepaired = ({ patch }: { patch: string }) => void repaired.push(patch);
    const handler = served({ ...options, onRepaired });
    const body = await ask(handler, "/tools/book/validate?repair=safe", '{"city":5}');
    expect(body).toMatchObject({ valid: true, repair: { arguments: { city: "5" } } });
    expect((await ask(handler, "/tools/book/call", '{"city":5}')).isError).toBe(false);
    expect(repaired).toEqual(['[{"op":"replace","path":"/city","value":"5"}]']);
    expect((await ask(handler, "/tools/book/call", '{"city":{}}')).isError).toBe(false);
    expect(repaired).toHaveLength(1);
    expect(new Set(asked)).toEqual(new Set(["book"]));
  });

  it("renames an undeclared argument if allowed", async () => {
    const handler = served({ checks: { undeclared: violation }, repair: "rename-properties" });
    const body = await ask(handler, "/tools/book/call", '{"city":"a","nigths":2}');
    expect(body.isError).toBe(false);
    const other = await ask(handler, "/tools/book/call", '{"city":"a","zzz":2}');
    expect(other.content[0].text).toContain("/zzz");
  });

  it("treats nothing as valid if the function fails", async () => {
    const faults: Fault[] = [];
    for (const checks of [
      () => {
        throw new Error("no settings");
      },
      () => ({ rules: { Type: "warning" } }) as ArgumentChecks,
    ]) {
      const handler = served({ checks, onFault: (fault) => void faults.push(fault) });
      const body = await ask(handler, "/tools/book/validate", '{"city":"a"}');
      expect(body).toMatchObject({ valid: false, checked: false });
      expect(JSON.stringify(body)).not.toContain("no settings");
      expect((await ask(handler, "/tools/book/call", '{"city":"a"}')).isError).toBe(true);
    }
    expect(faults.map(({ code }) => code)).toEqual(Array(4).fill("checks_failed"));
  });
});

describe("a call with ?repair=", () => {
  const call = (options: UIConfig, query: string, tool: object = {}) => {
    const got: object[] = [];
    const handler = createHandler(
      [{ ...TOOL, inputSchema: CLOSED, ...tool }],
      (_name, args, { askedRepairs }) => {
        got.push({ args, askedRepairs });
        return { content: [] };
      },
      { allowExecute: true, ...options },
    );
    const send = (args: string) => ask(handler, `/tools/book/call${query}`, args);
    return { got, send };
  };
  const destructive = { annotations: { destructiveHint: true } };

  it.each<[string, UIConfig, string, object, string, boolean]>([
    ["repairs what it names", {}, "?repair=safe", {}, '{"city":5}', true],
    ["repairs nothing without", {}, "", {}, '{"city":5}', false],
    ["repairs nothing else", {}, "?repair=drop-nulls", {}, '{"city":5}', false],
    ["adds to what is set", { repair: "safe" }, "?repair=all", {}, '{"citty":5}', true],
    ["guesses", {}, "?repair=all", {}, '{"citty":"a"}', true],
    [
      "does not guess for a destructive tool",
      {},
      "?repair=all",
      destructive,
      '{"citty":"a"}',
      false,
    ],
    ["is safe with one", {}, "?repair=all", destructive, '{"city":5}', true],
    [
      "guesses for a destructive tool if the host allows it",
      { repair: (_, asked) => asked },
      "?repair=all",
      destructive,
      '{"citty":"a"}',
      true,
    ],
    [
      "has no say if the host's function ignores it",
      { repair: () => [] },
      "?repair=all",
      {},
      '{"city":5}',
      false,
    ],
  ])("%s", async (_, options, query, tool, args, isRun) => {
    const { got, send } = call(options, query, tool);
    const body = await send(args);
    expect(body.isError).toBe(!isRun);
    expect(got).toHaveLength(isRun ? 1 : 0);
  });

  it("passes the requested repairs to the handler", async () => {
    const { got, send } = call({}, "?repair=safe");
    await send('{"city":"a"}');
    const kinds = ["parse-json-strings", "coerce-scalars", "drop-nulls"];
    expect(got).toEqual([{ args: { city: "a" }, askedRepairs: kinds }]);
  });

  it("returns 400 for an unknown repair", async () => {
    const { got, send } = call({}, "?repair=everything");
    expect(await send('{"city":"a"}')).toEqual({
      error: expect.stringMatching(/^Invalid query: repair names "everything"; send a comma list/),
    });
    expect(got).toEqual([]);
  });
});

it("returns the text of the onRefused hook to the client", async () => {
  const handler = served({ onRefused: async ({ text }) => `${text}\nAsk Ada.` });
  const body = await ask(handler, "/tools/book/call", '{"city":5}');
  expect(body.content[0].text).toMatch(/^The tool was not run\. .*\nAsk Ada\.$/s);
});
