import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOSTILE } from "../testing/hostile.ts";
import { codeBlocks } from "./markdown.ts";
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
      "an example that is no JSON",
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

  it("compiles the schemas of tools in examples, and leaves values with a type alone", () => {
    const tools = { tools: [{ name: "a", inputSchema: { $ref: "#/$defs/none" } }] };
    const value = { type: "object", id: 1 };
    const text = (json: unknown): string => `${GOOD}\n~~~JSON\n${JSON.stringify(json)}\n~~~\n`;
    expect(warningsOf(text(tools))).toMatchObject([
      expect.stringContaining("/tools/0/inputSchema"),
    ]);
    expect(warningsOf(text(value))).toEqual([]);
  });

  it.each(HOSTILE)("does not throw on %s", (_, make) => {
    const result = new SpecificationValidator(make() as never).validateSpecFile(make() as never);
    expect(result.valid).toBe(true);
    expect(result.warnings.length).toBeGreaterThan(0);
  });

  it("is always valid", () => {
    const line = fc.oneof(fc.constantFrom("```json", "```", "~~~", "## x", "{}"), fc.string());
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const result = new SpecificationValidator().validateSpecFile(lines.join("\n"));
        expect(result).toMatchObject({ valid: true, errors: [] });
      }),
    );
  });
});

describe("codeBlocks", () => {
  it.each<[string, readonly [string, string, number][]]>([
    ["```json\na\n```", [["json", "a", 1]]],
    ["- x\n\n  ~~~ JSON title\n  a\n  ~~~", [["json", "  a", 3]]],
    ["````md\n```json\n````\n", [["md", "```json", 1]]],
    ["```json\na", [["json", "a", 1]]],
    ["``` a`b\nx", []],
    ["> ```json\n> {}\n> ```", [["json", "> {}", 1]]],
  ])("finds those of %j", (text, expected) => {
    expect(codeBlocks(text).map(({ language, text, line }) => [language, text, line])).toEqual(
      expected,
    );
  });
});
