import { describe, expect, it } from "vitest";
import { compileDeclared } from "../compile.ts";

const text = (schema: string) => compileDeclared({ text: schema });
const any = compileDeclared({ value: {} });

describe("numbers are checked by their source text", () => {
  it.each([
    ['{"type":"integer"}', "9007199254740993.5", false],
    ['{"type":"number"}', "9007199254740993.5", true],
    ['{"type":"integer"}', "1.0", true],
    ['{"type":"integer"}', "1e400", true],
    ['{"type":"integer"}', "12345678901234567890", true],
    ['{"type":"integer"}', "1e-400", false],
    ['{"type":"string"}', "1e400", false],
    ['{"properties":{"id":{"type":"integer"}}}', '{"id":9007199254740993.5}', false],
    [
      '{"properties":{"a/b":{"items":{"type":"integer"}}}}',
      '{"a/b":[1,9007199254740993.5]}',
      false,
    ],
    ['{"additionalProperties":{"maximum":9007199254740992}}', '{"~/":9007199254740993}', false],
    [
      '{"properties":{"__proto__":{"maximum":9007199254740992}}}',
      '{"__proto__":9007199254740993}',
      false,
    ],
    ['{"const":9007199254740992}', "9007199254740993", false],
    ['{"const":9007199254740993}', "9007199254740992", false],
    ['{"const":9007199254740993}', "9007199254740993", true],
    ['{"const":{"a":[9007199254740993]}}', '{"a":[9007199254740993]}', true],
    ['{"const":{"a":[9007199254740993]}}', '{"a":[9007199254740992]}', false],
    ['{"const":1e400}', "10e399", true],
    ['{"enum":[1,9007199254740993]}', "9007199254740992", false],
    ['{"enum":[1,9007199254740993]}', "9007199254740993", true],
    ['{"enum":[9007199254740992]}', "9007199254740993", false],
    ['{"uniqueItems":true}', "[9007199254740993,9007199254740992]", true],
    ['{"uniqueItems":true}', "[9007199254740993,9007199254740993]", false],
    ['{"uniqueItems":true}', '[{"a":9007199254740993},{"a":9007199254740992}]', true],
    ['{"uniqueItems":true}', "[1e400,1,10e399]", false],
    ['{"maximum":9223372036854775807}', "9223372036854775807", true],
    ['{"maximum":9223372036854775807}', "9223372036854775808", false],
    ['{"exclusiveMaximum":9223372036854775807}', "9223372036854775807", false],
    ['{"minimum":-9223372036854775808}', "-9223372036854775809", false],
    ['{"exclusiveMinimum":0}', "1e-400", true],
    ['{"maximum":1e400}', "1e399", true],
    ['{"maximum":1e400}', "1e401", false],
    ['{"multipleOf":0.01}', "19.99", true],
    ['{"multipleOf":0.01}', "12345678901234567890.12", true],
    ['{"multipleOf":0.01}', "12345678901234567890.123", false],
    ['{"multipleOf":9007199254740993}', "18014398509481986", true],
    ['{"multipleOf":9007199254740993}', "18014398509481984", false],
    ['{"multipleOf":7}', "1e999999999", false],
    ['{"multipleOf":1e-400}', "1", true],
    ['{"multipleOf":3e-400}', "1e-399", false],
    ['{"multipleOf":1e-400}', "1e-401", false],
    ['{"properties":{"a":{"multipleOf":1e-400}}}', '{"a":0.1}', true],
    ['{"maxLength":9007199254740993}', '"a"', true],
    ['{"minLength":1e400}', '"a"', false],
    ['{"$ref":"#/$defs/a","$defs":{"a":{"const":9007199254740993}}}', "9007199254740992", false],
    ['{"anyOf":[{"const":9007199254740993},{"type":"null"}]}', "9007199254740993", true],
    [
      '{"$schema":"http://json-schema.org/draft-04/schema#","maximum":9007199254740993,"exclusiveMaximum":true}',
      "9007199254740993",
      false,
    ],
    [
      '{"$schema":"http://json-schema.org/draft-04/schema#","maximum":9007199254740993,"exclusiveMaximum":true}',
      "9007199254740992",
      true,
    ],
  ])("%s on %s: %s", (schema, value, valid) => {
    const compiled = text(schema);
    expect(compiled.error).toBeUndefined();
    expect(compiled.validateText(value).outcome).toBe(valid ? "pass" : "violation");
  });

  it("warns about each number that a double cannot hold", () => {
    const check = any.validateText(`{"a":[1.0,9007199254740993],"b":1${"0".repeat(50)}1}`);
    expect(check).toMatchObject({ valid: true, outcome: "pass", errors: [], counts: {} });
    expect(check.warnings).toMatchObject([
      { path: "/a/1", rule: "number", message: expect.stringContaining("9007199254740993") },
      { path: "/b", rule: "number", message: expect.stringContaining(`1${"0".repeat(38)}…`) },
    ]);
  });

  it("ends without a result if too many numbers need an exact check", () => {
    const check = any.validateText(`[${Array(1001).fill("1e400").join()}]`);
    expect(check).toMatchObject({ valid: false, outcome: "budget", counts: { budget: 1 } });
    expect(check.warnings.length).toBeGreaterThan(0);
  });

  it.each([
    ["multipleOf", "-1e-400", "must be more than 0"],
    ["multipleOf", "0", "must be more than 0"],
    ["maxLength", "9007199254740993.5", "must be an integer (got a number with a fraction)"],
    ["minItems", "1e-400", "must be an integer (got a number with a fraction)"],
    ["maxProperties", "-1e-400", "must be an integer (got a number with a fraction)"],
  ])("refuses %s %s because of the exact value of the number", (keyword, number, said) => {
    for (const place of ["", "/properties/a"]) {
      const own = `{"${keyword}":${number}}`;
      const { error: fault } = text(place === "" ? own : `{"properties":{"a":${own}}}`);
      expect(fault?.details).toContainEqual({
        code: "metaschema",
        path: `${place}/${keyword}`,
        message: said,
      });
    }
  });

  it.each([
    ["maximum", "9223372036854775807", "9223372036854775808", "must be <= 9223372036854775807"],
    ["minimum", "-9223372036854775808", "-9223372036854775809", "must be >= -9223372036854775808"],
    ["exclusiveMinimum", "1e-400", "1e-401", "must be > 1e-400"],
    ["exclusiveMaximum", "9007199254740993", "1e400", "must be < 9007199254740993"],
    ["multipleOf", "9007199254740993", "1", "must be multiple of 9007199254740993"],
    ["maximum", "3.50", "4", "must be <= 3.5"],
    ["const", "9007199254740993", "9007199254740992", "must be equal to 9007199254740993"],
  ])("reports the limit of %s %s as the schema writes it", (keyword, number, value, message) => {
    const [issue] = text(`{"${keyword}":${number}}`).validateText(value).errors;
    expect(issue?.message).toBe(message);
    const isDouble = number === "3.50";
    expect(issue?.params?.["exact"]).toBe(isDouble ? undefined : message.split(" ").at(-1));
  });

  it.each<[string, readonly string[] | undefined]>([
    ["[1,9007199254740993]", ["1", "9007199254740993"]],
    ['[1e400,"a",null]', ["1e400", '"a"', "null"]],
    ["[1,2]", undefined],
    ['[{"a":9007199254740993}]', undefined],
    [`[1.${"3".repeat(50)}]`, undefined],
  ])("reports the values in %s as the schema writes them", (values, exact) => {
    const [issue] = text(`{"enum":${values}}`).validateText("false").errors;
    expect(issue?.message).toBe("must be equal to one of the allowed values");
    expect(issue?.params?.["exact"]).toEqual(exact);
  });

  it("reports the rounded limit if it has too many digits", () => {
    const [issue] = text(`{"maximum":1.${"3".repeat(50)}}`).validateText("2").errors;
    expect(issue?.message).toBe("must be <= 1.3333333333333333");
  });

  it.each([
    [
      "maximum",
      `-1.2345678901234567890${"1".repeat(400)}e400`,
      "must be <= about -1.234567890123456e400",
    ],
    ["minimum", "19".repeat(200), "must be >= about 1.919191919191919e399"],
    [
      "exclusiveMinimum",
      `0.${"0".repeat(400)}${"12".repeat(30)}`,
      "must be > about 1.212121212121212e-401",
    ],
    ["multipleOf", "19".repeat(200), "must be multiple of about 1.919191919191919e399"],
  ])(
    "reports an approximate limit if it has too many digits and no double can hold it: %s",
    (keyword, number, said) => {
      const [issue] = text(`{"${keyword}":${number}}`).validateText(
        keyword === "maximum" ? "1" : "1e-500",
      ).errors;
      expect(issue?.message).toBe(said);
      expect(issue?.params?.["exact"]).toBeUndefined();
    },
  );

  it("checks the exact numbers of a subschema in another dialect", () => {
    const part = (number: string): string =>
      `{"multipleOf":1e-400,"properties":{"a/b":{"$id":"urn:a","$schema":"http://json-schema.org/draft-07/schema#","multipleOf":${number}}}}`;
    expect(text(part("2e-400")).error).toBeUndefined();
    expect(text(part("2e-400")).validateText('{"a/b":1e-399}').valid).toBe(true);
    expect(text(part("0")).error?.details?.[0]?.path).toBe("/properties/a~1b/multipleOf");
  });

  it("accepts every double as a multiple of a number too small for a double", () => {
    const schema = text('{"multipleOf":1e-400}');
    for (const value of [0, 1, 0.1, -5e-324, Number.MAX_VALUE]) {
      expect(schema.validate(value).valid).toBe(true);
      expect(schema.isValid(value)).toBe(true);
    }
  });

  it("treats numbers in memory as doubles", () => {
    const schema = text('{"const":9007199254740993}');
    expect(schema.validate(2 ** 53).valid).toBe(true);
    expect(schema.validateText("9007199254740992").valid).toBe(false);
  });
});
