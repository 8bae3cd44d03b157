import { describe, expect, it } from "vitest";
import { closing } from "../testing/closing.ts";
import { ANNOUNCED, validating } from "../testing/validated.ts";

const open = closing();
const start = validating(open);

const INPUT = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const;
const OUTPUT = { type: "object", properties: { sum: { type: "integer" } }, required: ["sum"] };
const tool = (annotations?: object, outputSchema?: object) => ({
  ...{ name: "add", inputSchema: INPUT },
  ...(annotations && { annotations }),
  ...(outputSchema && { outputSchema }),
});
const SAFE = { readOnlyHint: true } as const;
const said = (text: string, more: object = {}) => ({ content: [{ type: "text", text }], ...more });

describe.each(["v1", "v2"] as const)("a test run by a %s client", (generation) => {
  it.each<[string, object, object, object]>([
    [
      "of a tool that only reads",
      tool(SAFE),
      said("3"),
      { valid: true, testRun: { status: "success" } },
    ],
    [
      "of a tool that destroys nothing",
      tool({ destructiveHint: false }),
      said("3"),
      { valid: true, testRun: { status: "success", result: said("3") } },
    ],
    [
      "that the tool reports as an error",
      tool(SAFE),
      said("disk full", { isError: true }),
      {
        valid: false,
        errors: ["the test run failed: disk full"],
        issues: [{ level: "runtime", severity: "error" }],
        testRun: { status: "error", detail: "disk full" },
      },
    ],
    [
      "whose result matches the output schema",
      tool(SAFE, OUTPUT),
      said("3", { structuredContent: { sum: 3 } }),
      { valid: true, testRun: { status: "success" } },
    ],
    [
      "whose result does not match the output schema",
      tool(SAFE, OUTPUT),
      said("3", { structuredContent: { sum: "3" } }),
      { valid: false, testRun: { status: "error" } },
    ],
    [
      "without the structured content that the tool declares",
      tool(SAFE, OUTPUT),
      said("3"),
      { valid: false, testRun: { status: "error" } },
    ],
  ])("%s", async (_name, declared, answer, expected) => {
    const { validator, seen } = await start(
      { tools: [declared], answer: () => answer as never },
      {},
      generation,
    );
    const result = await validator.validateTool("files:add", { n: 3 }, { testRun: true });
    expect(result).toMatchObject(expected);
    expect(result.testRun?.durationMs).toBeGreaterThanOrEqual(0);
    expect(seen).toEqual([{ name: "add", arguments: { n: 3 } }]);
  });

  it.each([
    ["without annotations", undefined],
    ["that may destroy something", { destructiveHint: true }],
    ["that writes", { readOnlyHint: false }],
  ])("is not made of a tool %s", async (_name, annotations) => {
    const { validator, seen } = await start({ tools: [tool(annotations)] }, {}, generation);
    const result = await validator.validateTool("files:add", { n: 3 }, { testRun: true });
    expect(result).toMatchObject({ valid: true, testRun: { status: "not_run" } });
    expect(result.warnings.at(-1)).toMatch(/^no test run: the tool declares neither/);
    expect(seen).toEqual([]);
  });

  it("is not made of a call that is not valid, nor if it was not asked for", async () => {
    const { validator, seen } = await start({ tools: [tool(SAFE)] }, {}, generation);
    for (const [args, options] of [
      [{ n: "3" }, { testRun: true }],
      [{ n: 3 }, {}],
      [{ n: 3 }, { testRun: false }],
    ] as const) {
      const result = await validator.validateTool("files:add", args, options);
      expect("testRun" in result).toBe(false);
    }
    expect(seen).toEqual([]);
  });

  it("ends with its time limit, and says that the tool may have run", async () => {
    const { validator } = await start(
      { tools: [tool(SAFE)], answer: () => new Promise(() => {}) },
      {},
      generation,
    );
    // The time limit also covers the list of tools, so the list is fetched beforehand.
    await validator.validateTool("files:add", { n: 3 });
    const options = { testRun: true, timeoutMs: 20 };
    const result = await validator.validateTool("files:add", { n: 3 }, options);
    expect(result).toMatchObject({ valid: false, testRun: { status: "timeout" } });
  });
});

it("is made once for each valid call, in order, after the server's own validation", async () => {
  const { validator, seen } = await start({
    announced: ANNOUNCED,
    tools: [
      tool(SAFE),
      { name: "validate", inputSchema: { type: "object", properties: { tool: {} } } },
    ],
    answer: ({ name }) =>
      name === "validate"
        ? {
            content: [
              { type: "text", text: '{"valid":true,"errors":[],"warnings":[],"suggestions":[]}' },
            ],
          }
        : said("ok"),
  });
  const calls = [1, "2", 3].map((n) => ({ tool: "files:add", arguments: { n } }));
  const results = await validator.validateTools(calls, { testRun: true });
  expect(results.map(({ testRun }) => testRun?.status)).toEqual(["success", undefined, "success"]);
  expect(seen.filter(({ name }) => name === "add").map((call) => call.arguments)).toEqual([
    { n: 1 },
    { n: 3 },
  ]);
});
