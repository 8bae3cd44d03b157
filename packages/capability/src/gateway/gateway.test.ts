import { type CompiledSchema, compileDeclared } from "@touchstone/core/advanced";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasCapability } from "../announcement.ts";
import { validateToolDeclaration } from "../declaration.ts";
import { edited } from "../testing/edited.ts";
import { capabilityEdit, gatewayCapability, validateToolEdit } from "./announce.ts";
import { answerValidate, type DecideCall, type DecidedCall } from "./answer-validate.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text);
const text = (given: Uint8Array | undefined): string | undefined =>
  given && Buffer.from(given).toString();
const capability = gatewayCapability({ maxBatchSize: 5 });
/** The capability as announced for a server that does not report when its tools change. */
const C = JSON.stringify({
  ...capability,
  caching: { ...capability.caching, invalidateOn: [] },
});

const withCapability = (result: string): string | undefined =>
  text(
    edited(bytes(result), "capabilities", (given, range) =>
      capabilityEdit(given, range, capability),
    ),
  );

describe("capabilityEdit", () => {
  it.each([
    [
      '{"capabilities":{"tools":{}},"x":1.0}',
      `{"capabilities":{"experimental":{"toolValidation":${C}},"tools":{}},"x":1.0}`,
    ],
    [
      '{"capabilities":{"tools":{"listChanged":true}}}',
      `{"capabilities":{"experimental":{"toolValidation":${JSON.stringify(capability)}},"tools":{"listChanged":true}}}`,
    ],
    [
      '{"capabilities": {"tools":{}, "experimental": { } }}',
      `{"capabilities": {"tools":{}, "experimental": {"toolValidation":${C} } }}`,
    ],
    [
      '{"capabilities":{"experimental":{"a":{}},"tools":{}}}',
      `{"capabilities":{"experimental":{"toolValidation":${C},"a":{}},"tools":{}}}`,
    ],
    [
      '{"capabilities":{"tools":{},"experimental":{"toolValidation":{"supported":false}}}}',
      `{"capabilities":{"tools":{},"experimental":{"toolValidation":${C}}}}`,
    ],
    [
      '{"capabilities":{"tools":{},"experimental":{"toolValidation":{"supported":true}}}}',
      undefined,
    ],
    ['{"capabilities":{"tools":{},"experimental":{"toolValidation":true}}}', undefined],
    ['{"capabilities":{"tools":{},"experimental":[]}}', undefined],
    [
      '{"capabilities":{"tools":{},"extensions":{"a.b/tool-validation":{"supported":true}}}}',
      undefined,
    ],
    ['{"capabilities":{"tools":null}}', undefined],
    ['{"capabilities":{}}', undefined],
    ['{"capabilities":[]}', undefined],
    ["[]", undefined],
    ['{"capabilities":{"tools":{}}', undefined],
  ])("%s", (result, expected) => {
    expect(withCapability(result)).toBe(expected);
  });

  it("keeps all other members, and is recognized by a client", () => {
    const member = fc.jsonValue();
    const capabilities = fc.record(
      {
        tools: fc.constant({ listChanged: true }),
        experimental: fc.dictionary(fc.string(), fc.constant({})),
        logging: member,
      },
      { requiredKeys: ["tools"] },
    );
    fc.assert(
      fc.property(capabilities, member, fc.nat(2), (given, other, indent) => {
        fc.pre(!Object.hasOwn(given.experimental ?? {}, "toolValidation"));
        const before = { capabilities: given, other };
        const after = JSON.parse(withCapability(JSON.stringify(before, null, indent)) ?? "");
        expect(hasCapability(after.capabilities, "experimental.toolValidation")).toBe(true);
        delete after.capabilities.experimental.toolValidation;
        if (given.experimental === undefined) delete after.capabilities.experimental;
        expect(after).toEqual(JSON.parse(JSON.stringify(before)));
      }),
    );
  });
});

describe("validateToolEdit", () => {
  const D = JSON.stringify(validateToolDeclaration({ method: "v" }));
  it.each([
    ['{"tools":[ ]}', `{"tools":[ ${D}]}`],
    ['{"tools":[{"name":"a"} ],"z":1.0}', `{"tools":[{"name":"a"} ,${D}],"z":1.0}`],
    ['{"tools":{}}', undefined],
    ["{}", undefined],
    ["[", undefined],
  ])("%s", (result, expected) => {
    const made = edited(bytes(result), "tools", (given, range) =>
      validateToolEdit(given, range, { method: "v" }),
    );
    expect(text(made)).toBe(expected);
  });
});

describe("answerValidate", () => {
  const schema = '{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}';
  const schemas: Record<string, CompiledSchema> = {
    add: compileDeclared({ text: schema }),
    free: compileDeclared({ text: '{"type":"object"}' }),
  };
  const outputText = bytes('{"type":"object"}');
  const decide: DecideCall = async (tool, args) => {
    const check = schemas[tool]?.validateText(args);
    if (check === undefined) return undefined;
    const decision = check.valid ? "allowed" : "blocked";
    return { decision, check, ...(tool === "add" ? { outputText } : {}) };
  };
  const ask = async (args: string | undefined, options = {}) =>
    JSON.parse(await answerValidate(args === undefined ? undefined : bytes(args), decide, options));

  it.each([
    ['{"tool":"add","arguments":{"n":1}}', true],
    ['{"tool":"add","arguments":{"n":9007199254740993.5}}', false],
    ['{"tool":"add","arguments":{"n":1e400}}', true],
    ['{"tool":"add","parameters":{"n":1}}', true],
    ['{"tool":"add","arguments":{}}', false],
    ['{"tool":"add","arguments":null}', false],
    ['{"tool":"free","arguments":{"x":[]}}', true],
    ['{"tool":"free","arguments":[]}', false],
    ['{"tool":"none","arguments":{}}', false],
    ['{"tool":"validate","arguments":{}}', false],
  ])("checks %s: %s", async (args, valid) => {
    const { structuredContent, content, isError } = await ask(args);
    expect(structuredContent.valid).toBe(valid);
    expect(JSON.parse(content[0].text)).toEqual(structuredContent);
    expect(isError).toBeUndefined();
  });

  it("reports the output schema and the unsupported levels", async () => {
    const { structuredContent } = await ask('{"tool":"add","arguments":{"n":1},"levels":["deep"]}');
    expect(structuredContent).toEqual({
      valid: true,
      decision: "allowed",
      errors: [],
      warnings: [],
      suggestions: [],
      issues: [],
      levelsNotRun: ["semantic", "runtime", "security", "deep"].map((level) => ({
        level,
        reason: "not_served",
      })),
      outputSchema: { type: "object" },
    });
  });

  it.each([
    ['{"type":"object"}', { type: "object" }],
    ["true", true],
    ["[]", undefined],
    ["null", undefined],
    ["5", undefined],
  ])("reports the output schema %s as %j", async (outputSchema, expected) => {
    const answer = await answerValidate(bytes('{"tool":"t","arguments":{}}'), async () => ({
      decision: "allowed",
      check: compileDeclared({ text: "true" }).validateText("{}"),
      outputText: bytes(outputSchema),
    }));
    expect(JSON.parse(answer).structuredContent.outputSchema).toEqual(expected);
  });

  it("checks batches by the original text of their calls", async () => {
    const calls =
      '{"calls":[{"tool":"add","arguments":{"n":1e400}}, {"tool":"add","arguments":{"n":9007199254740993.5}},7]}';
    const { structuredContent, resultType } = await ask(calls, { maxBatchSize: 3, modern: true });
    expect(resultType).toBe("complete");
    expect(structuredContent.results.map(({ valid }: { valid: boolean }) => valid)).toEqual([
      true,
      false,
      false,
    ]);
    expect((await ask(calls)).isError).toBe(true);
    const { content } = await ask(calls, { maxBatchSize: 2 });
    expect(content[0].text).toBe(
      'Cannot validate: "calls" holds more than maxBatchSize (2) calls; send several batches.',
    );
  });

  it.each<[string, Partial<DecidedCall> & Pick<DecidedCall, "decision">, object]>([
    [
      "a repair",
      {
        decision: "repaired",
        repairs: "coerce-scalars at /n",
        check: {
          ...compileDeclared({ text: "true" }).validateText("{}"),
          warnings: compileDeclared({ text: schema }).validateText('{"n":"1"}').errors,
        },
      },
      {
        ...{ valid: true, decision: "repaired", repairs: "coerce-scalars at /n" },
        warnings: ["/n must be an integer (got a string of 1 character)"],
      },
    ],
    [
      "a check without a verdict",
      {
        decision: "blocked",
        check: {
          ...compileDeclared({ text: "false" }).validateText("{}"),
          ...{ outcome: "unknown", counts: { budget: 1 } },
        },
      },
      {
        ...{ valid: false, decision: "blocked" },
        levelsNotRun: expect.arrayContaining([{ level: "syntax", reason: "failed" }]),
      },
    ],
  ])("reports %s", async (_, { check, ...decided }, expected) => {
    const given = check ?? compileDeclared({ text: "true" }).validateText("{}");
    const answer = await answerValidate(bytes('{"tool":"t","arguments":{}}'), async () => ({
      ...decided,
      check: given,
    }));
    expect(JSON.parse(answer).structuredContent).toMatchObject(expected);
  });

  it.each([
    undefined,
    "",
    "{",
    "null",
    "[]",
    "{}",
    '{"tool":1,"arguments":{}}',
    `{"tool":"add","arguments":${"[".repeat(300)}${"]".repeat(300)}}`,
  ])("returns an error result for %s", async (args) => {
    expect(await ask(args)).toMatchObject({ isError: true, content: [{ type: "text" }] });
  });

  it("handles any JSON value, within bounds", async () => {
    const call = fc.record(
      { tool: fc.constantFrom("add", "free", "x"), arguments: fc.jsonValue() },
      { requiredKeys: [] },
    );
    const args = fc.oneof(
      fc.jsonValue(),
      call,
      fc.record({ calls: fc.array(fc.oneof(call, fc.jsonValue())) }),
    );
    await fc.assert(
      fc.asyncProperty(args, async (value) => {
        const given = bytes(JSON.stringify(value));
        const answer = await answerValidate(given, decide, { maxBatchSize: 5 });
        expect(Array.isArray(JSON.parse(answer).content)).toBe(true);
      }),
    );
  });
});
