import { describe, expect, it } from "vitest";
import { closing } from "../testing/closing.ts";
import { inText, type Script, VALIDATE } from "../testing/scripted.ts";
import { WRITE_FILE } from "../testing/sdk.ts";
import { ANNOUNCED, GOOD, validating } from "../testing/validated.ts";

const start = validating(closing());

describe.each(["v1", "v2"] as const)("ToolValidator over a %s client", (generation) => {
  it("sends nothing to a server without the capability, and logs that once", async () => {
    const { validator, seen, lists, lines } = await start({}, {}, generation);
    for (let i = 0; i < 3; i++) {
      expect(await validator.validateTool("files:write_file", GOOD)).toMatchObject({
        valid: true,
        method: "schema",
        native: { status: "not_supported" },
      });
    }
    expect(await validator.validateTool("files:write_file", {})).toMatchObject({
      valid: false,
      errors: [expect.stringContaining("path")],
      method: "schema",
    });
    expect(seen).toEqual([]);
    expect(lists).toHaveLength(1);
    expect(lines).toEqual([
      "files: calls are checked by their schemas only: the server does not announce experimental.toolValidation (not_supported)",
    ]);
  });

  it("uses the announced method and passes the arguments", async () => {
    const announced = { supported: true, method: "check_it" };
    const { validator, seen } = await start({ announced }, {}, generation);
    const result = await validator.validateTool("files:write_file", GOOD, { levels: ["semantic"] });
    expect(result).toMatchObject({ valid: true, method: "native" });
    expect(seen).toEqual([
      {
        name: "check_it",
        arguments: { tool: "write_file", arguments: GOOD, levels: ["semantic"] },
      },
    ]);
  });

  it("passes parameters and the full tool name to a server that declares them", async () => {
    const properties = { tool: { type: "string" }, parameters: { type: "object" } };
    const validate = {
      name: "validate",
      inputSchema: { type: "object", properties, required: ["tool", "parameters"] },
    };
    const answer: Script["answer"] = ({ arguments: args }) => {
      const { tool, parameters } = args as { tool?: string; parameters?: object };
      const errors = tool && parameters ? ["disk full"] : ["Missing required parameters"];
      return inText({ valid: false, errors, warnings: [], validationMethod: "schema-only" });
    };
    const script = { announced: ANNOUNCED, tools: [WRITE_FILE, validate], answer };
    const { validator, seen } = await start(script, {}, generation);
    const result = await validator.validateTool("files:write_file", GOOD);
    expect(result).toMatchObject({ valid: false, errors: ["disk full"], method: "native" });
    expect(seen[0]?.arguments).toEqual({ tool: "files:write_file", parameters: GOOD });
  });

  it.each([
    [{ valid: true }, {}, false],
    [{ valid: true, errors: ["x"] }, GOOD, false],
    [{ valid: false }, GOOD, false],
    [{ valid: true, errors: [], warnings: ["w"] }, GOOD, true],
  ])("combines the response %j with the schema's result for %j", async (verdict, args, valid) => {
    const script = { announced: ANNOUNCED, answer: () => inText(verdict) };
    const { validator } = await start(script, {}, generation);
    const result = await validator.validateTool("files:write_file", args);
    expect(result).toMatchObject({ valid, method: "native", native: { status: "ok" } });
    expect(result.errors.length > 0).toBe(!valid);
  });

  it("checks by a tool's schema even if another tool's schema is broken", async () => {
    const broken = {
      name: "broken",
      inputSchema: { type: "object", $ref: "#/nowhere" },
      outputSchema: { type: "object", properties: { a: { type: "strin" } } },
    };
    const script = { tools: [broken, WRITE_FILE] };
    const { validator, lines } = await start(script, {}, generation);
    const calls = ["broken", "write_file"].map((tool) => ({
      tool: `files:${tool}`,
      arguments: GOOD,
    }));
    expect(await validator.validateTools(calls)).toMatchObject([
      { valid: false, method: "schema", issues: [{ rule: "schema" }] },
      { valid: true, method: "schema" },
    ]);
    expect(lines).toHaveLength(1);
  });

  it("prefers structured content", async () => {
    const structuredContent = { valid: false, errors: ["structured"] };
    const answer = () => ({ ...inText({ valid: true }), structuredContent });
    const { validator } = await start({ announced: ANNOUNCED, answer }, {}, generation);
    const result = await validator.validateTool("files:write_file", GOOD);
    expect(result.errors).toEqual(["structured"]);
  });

  it("runs no destructive tool to validate, and does not validate the validation tool", async () => {
    const tools = [WRITE_FILE, { ...VALIDATE, annotations: { destructiveHint: true } }];
    const { validator, seen } = await start({ announced: ANNOUNCED, tools }, {}, generation);
    for (const tool of ["files:write_file", "files:validate"]) {
      expect(await validator.validateTool(tool, GOOD)).toMatchObject({
        method: "schema",
        native: { status: "failed" },
      });
    }
    expect(seen).toEqual([]);
  });

  it.each([
    ["nothing", { type: "object" }, false],
    ["an invoice", { type: "object", properties: { invoice: {} } }, false],
    ["calls in a branch", { type: "object", anyOf: [{ properties: { calls: {} } }] }, true],
  ] as const)(
    "for a method that takes %s, calls it only if it can validate calls",
    async (_, inputSchema, asks) => {
      const tools = [WRITE_FILE, { ...VALIDATE, inputSchema }];
      const { validator, seen } = await start({ announced: ANNOUNCED, tools }, {}, generation);
      const { native } = await validator.validateTool("files:write_file", GOOD);
      expect(seen.length > 0).toBe(asks);
      if (!asks)
        expect(native).toMatchObject({
          status: "failed",
          detail: expect.stringContaining("validates no calls"),
        });
    },
  );

  it("sends batches of the announced size, and reads the results in order", async () => {
    const announced = { supported: true, batchValidation: true, maxBatchSize: 2 };
    const answer: Script["answer"] = ({ arguments: args }) => {
      const { calls = [args] } = args as { calls?: { arguments: { path: string } }[] };
      const results = calls.map((call) => ({
        valid: false,
        errors: [(call as { arguments: { path: string } }).arguments.path],
      }));
      return inText(results.length > 1 ? { results } : { results });
    };
    const { validator, seen } = await start({ announced, answer }, {}, generation);
    const paths = ["a", "b", "c", "d", "e"];
    const calls = paths.map((path) => ({ tool: "files:write_file", arguments: { path } }));
    const results = await validator.validateTools(calls);
    expect(results.map(({ errors }) => errors)).toEqual(paths.map((path) => [path]));
    expect(seen.map(({ arguments: args }) => (args as { calls: [] }).calls.length)).toEqual([
      2, 2, 1,
    ]);
  });
});
