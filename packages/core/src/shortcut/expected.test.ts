import { describe, expect, it } from "vitest";
import { compileDeclared } from "../compile.ts";
import { scanJson, scanWith } from "../json/scan.ts";
import { encodeUtf8 } from "../json/text.ts";
import { askingSource } from "./testing/asking-source.ts";

const BEFORE = '{"a":[{}],"value":';
const AFTER = ',"z":{"z":1}}';

const POINT = { properties: { x: { type: "integer" }, y: { type: "integer" } }, required: ["x"] };
const NAMES = Array.from({ length: 70 }, (_, i) => `name ${i}`);
const MANY = { properties: Object.fromEntries(NAMES.map((name) => [name, true])) };
const members = (names: readonly string[]): string =>
  `{${names.map((name) => `"${name}":0`).join()}}`;

function scan(schema: object, value: string, maxDepth?: number) {
  const compiled = compileDeclared({ value: schema });
  const bytes = encodeUtf8(BEFORE + value + AFTER);
  const expected = compiled.image && { start: BEFORE.length, image: compiled.image };
  const options = { exact: true, unique: true, ...(maxDepth === undefined ? {} : { maxDepth }) };
  const within = scanJson(bytes, { ...options, expected });
  const slice = bytes.subarray(BEFORE.length, BEFORE.length + value.length);
  return { compiled, within, slice, alone: scanJson(bytes, options) };
}

describe("a value checked during the scan of the text around it", () => {
  it.each<[what: string, schema: object, value: string, accepted: boolean]>([
    ["an object", POINT, '{ "x" : 1 , "y":2 }', true],
    ["properties in another order", POINT, '{"y":1,"x":2}', true],
    ["others among them", POINT, '{"a":{"b":[]},"x":2,"c":0}', true],
    ["a property twice", POINT, '{"x":1,"y":1,"x":1}', false],
    ["a property twice that need not be there", POINT, '{"x":1,"y":1,"y":1}', false],
    ["another key twice", POINT, '{"a":1,"x":1,"a":1}', false],
    ["a key twice further in", POINT, '{"a":[{"b":1,"b":2}],"x":1}', false],
    ["a key in an object and in the one around it", POINT, '{"a":{"a":{"a":1}},"x":1}', true],
    ["another type", POINT, '{"x":"1"}', false],
    ["a required one is missing", POINT, '{"y":1}', false],
    ["64 properties", MANY, members(NAMES.slice(0, 64)), true],
    ["a later one, which is left to others", MANY, members(NAMES.slice(64)), false],
    ["a number that no double holds", {}, "[9007199254740993]", false],
    ["the same where it is judged", { items: { minimum: 0 } }, "[9007199254740993]", false],
    ["a long number that one holds", { items: { type: "number" } }, "[9007199254740994]", true],
    ["a long fraction", { items: { type: "number" } }, "[0.30000000000000004]", true],
    ["one that is too long for it", { items: { type: "number" } }, "[0.30000000000000003]", false],
    ["a scalar, which is quick by itself", { type: "integer" }, "1", false],
    ["branches", { items: { anyOf: [POINT, { type: "object" }] } }, '[{"y":1,"b":{"c":2}}]', true],
    ["a branch with keys of its own", { oneOf: [POINT, { minProperties: 9 }] }, '{"x":1}', true],
    ["what must not be", { not: { required: ["z"] } }, '{"x":{"y":1}}', true],
  ])("%s: %s %s", (_, schema, value, accepted) => {
    const { compiled, within, slice, alone } = scan(schema, value);
    expect(within.accepted !== undefined).toBe(accepted);
    expect({ ...within, accepted: undefined }).toEqual({ ...alone, accepted: undefined });
    expect(compiled.validateText(slice, { within })).toEqual(
      compiled.validateText(slice, { within: alone }),
    );
  });

  it("is accepted by a schema that leaves other values to the engine", () => {
    const schema = { properties: { name: { pattern: "a" } } };
    const compiled = compileDeclared({ value: schema });
    for (let i = 0; i < 40; i += 1) {
      for (const value of ['{"id":1}', '{"name":"a"}']) {
        const bytes = encodeUtf8(BEFORE + value + AFTER);
        const { image = new Uint8Array(0) } = compiled;
        const expected = { start: BEFORE.length, image };
        const within = scanJson(bytes, { exact: true, unique: true, expected });
        expect(within.accepted !== undefined, `${i} ${value}`).toBe(value.includes("id"));
        const slice = bytes.subarray(BEFORE.length, BEFORE.length + value.length);
        expect(compiled.validateText(slice, { within }).valid).toBe(true);
      }
    }
  });

  it.each([
    "[1,]",
    "[1 2]",
    "[,1]",
    "[01]",
    "[-]",
    "[-01]",
    "[01.5]",
    "[1.e5]",
    "[1e+]",
    "[12345678901234567x]",
    "[1.]",
    "[.5]",
    "[1e]",
    "[+1]",
    "[nul]",
    "[trux]",
    "[falsy]",
    "[nulL]",
    '["a]',
    '["\u0001"]',
    '["\\x"]',
    '{"x":1,}',
    '{"x" 1}',
    '{"x":1 "y":2}',
    "{x:1}",
    '{"x":}',
    '{,"x":1}',
    '{"x":1]',
    "[1}",
    "[",
    "{",
  ])("is not accepted if it is not JSON: %s", (value) => {
    const skipped = { type: ["array", "object"], items: {}, ...POINT, required: [] };
    const read = { items: { type: ["number", "string", "boolean"] } };
    for (const schema of [{}, skipped, read]) {
      const { within, alone } = scan(schema, value);
      expect(within).toEqual(alone);
      expect(within.error).toBeDefined();
    }
  });

  it("is checked no matter what the previous text held in its place", () => {
    const { image = new Uint8Array(0) } = compileDeclared({ value: {} });
    const scanned = (value: string) => {
      const bytes = encodeUtf8(BEFORE + value + AFTER);
      const expected = { start: BEFORE.length, image };
      return scanJson(bytes, { exact: true, unique: true, expected });
    };
    expect(scanned('{"a":[1,2,3]}').accepted).toBeDefined();
    for (const value of ['{"a":[1,2 3]}', '{"b":1,"b":1}', '{"a":nothing}']) {
      expect(scanned('{"a":[1,2,3]}').accepted, value).toBeDefined();
      const { accepted, exact, unique } = scanned(value);
      expect({ accepted, both: exact === true && unique === true }).toEqual({ both: false });
    }
  });

  it("counts toward the depth of the text", () => {
    const schema = { properties: { x: { items: { items: { type: "integer" } } } } };
    const value = '{"x":[[1]]}';
    expect(scan(schema, value, 5).within).toMatchObject({ depth: 5, accepted: {} });
    const point = scan({ properties: { at: POINT } }, '{"at":{"x":1}}').within;
    expect(point).toMatchObject({ depth: 4, accepted: {} });
    const { within, alone } = scan(schema, value, 4);
    expect(within).toEqual(alone);
    expect(within.error?.code).toBe("depth");
  });

  it("has each number tested once for a double, however many schemas read it", () => {
    const asked: number[] = [];
    const source = askingSource(asked);
    const scanned = (value: string, schema: object) => {
      asked.length = 0;
      const { image = new Uint8Array(0) } = compileDeclared({ value: schema });
      const expected = { start: BEFORE.length, image };
      const bytes = encodeUtf8(BEFORE + value + AFTER);
      return scanWith(bytes, { exact: true, unique: true, expected }, source);
    };
    const short = { maxItems: 1 };
    const read = { items: { type: "number" }, maxItems: 1 };
    const branches = { anyOf: [short, read, { not: {} }, short, { type: "array" }] };
    const good = "[1.5e300,0.30000000000000004,[1e300],1.5e300]";
    expect(scanned(good, branches).accepted).toBeDefined();
    expect(asked).toHaveLength(4);
    for (const bad of ["1e400", "9007199254740993"]) {
      const value = good.replace("[1e300]", bad);
      const { accepted, exact } = scanned(value, branches);
      expect({ accepted, exact }).toEqual({});
    }
    expect(scanned("[1e300,1e300,1e301]", { items: { type: "number" } }).accepted).toBeDefined();
    expect(asked).toHaveLength(3);
  });

  it("is accepted only for its own schema and within the limits of its check", () => {
    const { compiled, within, slice } = scan(POINT, '{"x":1}');
    expect(within.accepted).toBeDefined();
    expect(compiled.validateText(slice, { within, maxBytes: 3 }).outcome).toBe("guard");
    expect(compiled.validateText(slice, { within, maxDepth: 1 }).outcome).toBe("guard");
    const other = compileDeclared({ value: { required: ["y"] } });
    expect(other.validateText(slice, { within }).outcome).toBe("violation");
    expect(compiled.validateText(slice.subarray(0, 3), { within }).valid).toBe(false);
  });

  it.each([-1, 0.5, Number.NaN, 1e9, 3])("is ignored at the offset %d", (start) => {
    const { image = new Uint8Array(0) } = compileDeclared({ value: POINT });
    const bytes = encodeUtf8(`${BEFORE}{"x":1}${AFTER}`);
    const options = { exact: true, unique: true } as const;
    const scan = scanJson(bytes, { ...options, expected: { start, image } });
    expect(scan).toEqual(scanJson(bytes, options));
  });
});
