import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { HOSTILE } from "../testing/hostile.ts";
import { SpecificationValidator } from "./specification.ts";

const GOOD = `# Tool
## Description
## Invocation Name
## Input Schema
\`\`\`json
{"type": "object", "properties": {"a": {"type": "string"}}}
\`\`\`
## Output Schema
## Security Considerations
`;
const warningsOf = (text: unknown): readonly string[] =>
  new SpecificationValidator().validateSpecFile(text as string).warningMessages;

describe("SpecificationValidator", () => {
  it.each<[string, unknown, readonly string[]]>([
    ["a whole specification", GOOD, []],
    [
      "an empty one",
      "",
      [
        "Missing recommended section: description",
        "Missing recommended section: invocation name",
        "Missing recommended section: input schema",
        "Missing recommended section: output schema",
        "No tool definitions found (expected ## headers)",
        "No JSON examples found (recommended for schemas)",
        "Missing security considerations section",
      ],
    ],
    [
      "an example that is not JSON",
      `${GOOD}\`\`\`json\n{"a":}\n\`\`\``,
      ["The JSON example at line 10 is not JSON: Expected a value, found"],
    ],
    [
      "a schema that is none",
      GOOD.replace('"string"', '"strin"'),
      [
        "/properties/a/type: The schema in the example at line 5 (/properties/a/type): type must be equal to one of the allowed values",
      ],
    ],
    [
      "a format that nobody knows",
      GOOD.replace('"string"', '"string","format":"e-mail"'),
      [
        '/properties/a/format: The schema in the example at line 5 (/properties/a/format): the format "e-mail" is not known and is ignored',
      ],
    ],
    ["no text", 5, ["A specification is text, found number"]],
  ])("audits %s", (_, text, expected) => {
    const warnings = warningsOf(text);
    expect(warnings).toHaveLength(expected.length);
    for (const [i, warning] of expected.entries()) {
      expect(warnings[i]?.slice(0, 60)).toBe(warning.slice(0, 60));
    }
  });

  it("compiles the schemas of tools in examples, but not values with a type member", () => {
    const tools = { tools: [{ name: "a", inputSchema: { $ref: "#/$defs/none" } }] };
    const value = { type: "object", id: 1 };
    const text = (json: unknown): string => `${GOOD}\n~~~JSON\n${JSON.stringify(json)}\n~~~\n`;
    expect(warningsOf(text(tools))).toMatchObject([
      expect.stringContaining("/tools/0/inputSchema"),
    ]);
    expect(warningsOf(text(value))).toEqual([]);
  });

  it.each([
    ["> ", "a quote"],
    ["- ", "a list"],
    ["1. > - ", "a quote in a list"],
    ["\t", "an indented block"],
  ])("reads a code block after %j, in %s", (marker) => {
    const rest = marker.replace(/[-\d.]/g, " ");
    const block = [
      "```json",
      '{"type": "object",',
      '"properties": {"a": {"type": "strng"}}}',
      "```",
    ];
    const text = block.map((line, i) => (i === 0 ? marker : rest) + line).join("\n");
    expect(warningsOf(`${GOOD}${text}\n\nText`)).toEqual([
      expect.stringContaining("The schema in the example at line 10 (/properties/a/type): "),
    ]);
  });

  it("reports each fault of a schema once, and unknown formats", () => {
    const broken = { type: "object", properties: { a: { type: "x" }, b: 5 }, required: "a" };
    const odd = { type: "string", format: "zip" };
    const examples = [broken, odd].map((one) => `\`\`\`json\n${JSON.stringify(one)}\n\`\`\`\n`);
    const { warnings } = new SpecificationValidator().validateSpecFile(GOOD + examples.join(""));
    expect(warnings.map(({ path, rule }) => [path, rule])).toEqual([
      ["/properties/a/type", "schema"],
      ["/properties/b", "schema"],
      ["/required", "schema"],
      ["/format", "format"],
    ]);
  });

  it("reports the place of an example's fault in the file", () => {
    const text = `${GOOD.replace('"string"', '\n "strin"')}- x\n  \`\`\`json\n  {"ä": 1,\n  "b":}\n  \`\`\``;
    const { warnings } = new SpecificationValidator().validateSpecFile(text);
    expect(warnings.map(({ params }) => params)).toEqual([
      { line: 7, column: 2 },
      { line: 14, column: 7 },
    ]);
  });

  it("reports at most a thousand faults of one example, with their places", long, () => {
    const example = (count: number): string =>
      `\`\`\`json\n[${Array(count).fill('{"type":\n"strin"}').join(",\n")}]\n\`\`\`\n`;
    const { warnings } = new SpecificationValidator().validateSpecFile(GOOD + example(3000));
    expect(warnings).toHaveLength(1000);
    const begun = GOOD.split("\n").length;
    expect([warnings[0], warnings[999]].map((found) => [found?.path, found?.params])).toEqual([
      ["/0/type", { line: begun + 2, column: 1 }],
      ["/999/type", { line: begun + 2 * 1000, column: 1 }],
    ]);
  });

  it.each(HOSTILE)("does not throw on %s", (_, make) => {
    const result = new SpecificationValidator(make() as never).validateSpecFile(make() as never);
    expect(result.valid).toBe(true);
    expect(result.warnings.length).toBeGreaterThan(0);
  });

  it("always returns valid", () => {
    const line = fc.oneof(fc.constantFrom("```json", "```", "~~~", "## x", "{}"), fc.string());
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const result = new SpecificationValidator().validateSpecFile(lines.join("\n"));
        expect(result).toMatchObject({ valid: true, errors: [] });
      }),
    );
  });
});
