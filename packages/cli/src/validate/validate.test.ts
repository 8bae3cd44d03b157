import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { REPAIR_NAMES, SCHEMA_RULES } from "@touchstone/core/advanced";
import { describe, expect, it } from "vitest";
import { REPAIR_KIND_WORDS } from "../repair/repair-option.ts";
import { tempDir } from "../testing/touchstone.ts";
import { validate } from "./testing/run.ts";

const GOOD = '{"city":"Oslo","n":1.0}';
const BAD = '{\n  "citty": "Oslo",\n  "n": "5"\n}';

describe("touchstone validate", () => {
  it("marks the issues in each file", async () => {
    const files = { "good.json": GOOD, "bad.json": BAD };
    const { code, stdout, stderr } = await validate(files, [
      "-s",
      "@s.json",
      "@bad.json",
      "@good.json",
    ]);
    expect(stdout.split("\n")).toEqual([
      "invalid  bad.json: 3 issues",
      '  2:3 Rename /citty to "city", which is required: a string.',
      '    2 |   "citty": "Oslo",',
      "          ^^^^^^^",
      "  3:8 Change /n: must be an integer; it is a string of 1 character: send the number itself, without quotes.",
      '    3 |   "n": "5"',
      "               ^^^",
      "valid    good.json",
      "2 documents, 1 invalid",
      "",
    ]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
  });

  it("exits with 0 if all documents are valid, and reads standard input", async () => {
    const { code, stdout, stderr } = await validate({}, ["--schema", "@s.json", "-"], GOOD);
    expect(stdout).toBe("valid    <stdin>\n1 document, 0 invalid\n");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  it("checks each line of JSON Lines, and reports its number", async () => {
    const lines = `${GOOD}\r\n\n  \n{"city":5}\n{"city":\n${GOOD}`;
    const { code, stdout } = await validate(
      {},
      ["-s", "@s.json", "--jsonl", "-f", "json", "-"],
      lines,
    );
    const documents = JSON.parse(stdout) as { valid: boolean; errors: { line: number }[] }[];
    expect(documents.map(({ valid, errors }) => [valid, errors[0]?.line])).toEqual([
      [true, undefined],
      [false, 4],
      [false, 5],
      [true, undefined],
    ]);
    expect(code).toBe(1);
  });

  it("prints only invalid lines if there are many", async () => {
    const lines = `${`${GOOD}\n`.repeat(3000)}{"city":5}\n`;
    const { stdout, stderr } = await validate({ "l.jsonl": lines }, [
      "-s",
      "@s.json",
      "--jsonl",
      "@l.jsonl",
    ]);
    expect(stdout).toMatch(/^invalid {2}l\.jsonl:3001: 1 issue\n {2}3001:9 Change \/city/);
    expect(stdout).toMatch(/\n3001 documents, 1 invalid\n$/);
    expect(stderr).toBe("");
  });

  it.each([
    ["sarif", /"version": "2\.1\.0"[\s\S]*"startLine": 2,/],
    ["junit", /^<\?xml [\s\S]*<testcase [^>]*name="bad\.json">[\s\S]*3:8 \/n must be an integer/],
    ["json", /"name": "bad\.json"[\s\S]*"line": 3,/],
  ])("writes %s with the same exit status", async (format, text) => {
    const { code, stdout, stderr } = await validate({ "bad.json": BAD }, [
      "-s",
      "@s.json",
      "-f",
      format,
      "@bad.json",
    ]);
    expect(stdout).toMatch(text);
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
  });

  it.each([
    ["pretty", /^not checked {2}good\.json\n[\s\S]*\n1 document, 0 invalid, 1 not checked\n$/],
    ["sarif", /"executionSuccessful": false/],
    [
      "junit",
      /tests="1" failures="0" errors="1"[\s\S]*<error message="not checked" type="budget">/,
    ],
    ["json", /"outcome": "budget"/],
  ])(
    "exits with 3 if a document could not be checked and none is invalid: %s",
    async (format, text) => {
      const files = { "endless.json": '{"anyOf":[{"$ref":"#"}]}', "good.json": "1" };
      const { code, stdout, stderr } = await validate(files, [
        ...["-s", "@endless.json", "-f", format, "@good.json"],
      ]);
      expect([code, stdout]).toEqual([3, expect.stringMatching(text)]);
      expect(stderr).toBe("touchstone: 1 document could not be checked\n");
    },
  );

  it("exits with 1 if one document is invalid and another could not be checked", async () => {
    const schema = '{"type":"array","items":{"$ref":"#/items"}}';
    const files = { "endless.json": schema, "a.json": "[1]", "b.json": "1" };
    const args = ["-s", "@endless.json", "@a.json", "@b.json"];
    const { code, stdout } = await validate(files, args);
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(/2 documents, 1 invalid, 1 not checked\n$/),
    ]);
  });

  it("accepts the engine's options", async () => {
    const schema = JSON.stringify({
      items: [{ type: "string" }],
      additionalItems: { $ref: "https://e.com/i" },
    });
    const files = { "d.json": schema, "i.json": '{"type":"integer"}', "a.json": '[1,"b","c"]' };
    const args = [
      "-s",
      "@d.json",
      "--dialect",
      "draft-07",
      "--document",
      "https://e.com/i=@i.json",
    ];
    const more = ["--max-issues", "2", "-f", "json", "@a.json"];
    const { stdout } = await validate(files, [...args, ...more]);
    const [document] = JSON.parse(stdout) as { errors: { path: string }[]; truncated: number }[];
    expect(document?.errors.map(({ path }) => path)).toEqual(["/0", "/1"]);
    expect(document?.truncated).toBe(1);
    const many = { "t.json": '{"items":{"type":"string"}}', "a.json": `[${Array(3000).fill(1)}]` };
    const all = ["-s", "@t.json", "--max-issues", "2500", "@a.json"];
    const [long] = JSON.parse((await validate(many, [...all, "-f", "json"])).stdout);
    expect([long.errors.length, long.truncated]).toEqual([2500, 500]);
    const pretty = (await validate(many, all)).stdout;
    expect(pretty.match(/ Change /g)).toHaveLength(2500);
    expect(pretty).toContain("\n  and 500 more\n");
    const engine = await validate({ "a.json": "{}" }, [
      "-s",
      "@s.json",
      "--paths",
      "instance",
      "-f",
      "json",
      "@a.json",
    ]);
    expect(JSON.parse(engine.stdout)[0].errors[0].path).toBe("");
  });
});

describe("touchstone validate --repair", () => {
  const FIXABLE = '{\n  "citty": "Oslo",\n  "n": "5"\n}\n';
  const FIXED = '{\n  "city": "Oslo",\n  "n": 5\n}\n';
  const told = "rename-properties at /citty; coerce-scalars at /n";
  const read = (folder: string) => readFileSync(join(folder, "out.json"), "utf8");

  it("reports what could be fixed, and writes it to the file of --out", async () => {
    const files = { "a.json": FIXABLE };
    const proposed = await validate(files, ["-s", "@s.json", "@a.json", "--repair=all"]);
    expect(proposed.code).toBe(1);
    expect(proposed.stderr).toBe(
      `touchstone: a.json can be repaired: ${told}; --out FILE writes it\n`,
    );
    const folder = tempDir();
    const out = ["--repair=all", "--out", join(folder, "out.json")];
    const { code, stdout, stderr } = await validate(files, ["-s", "@s.json", "@a.json", ...out]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: "valid    a.json\n1 document, 0 invalid, 1 repaired\n",
    });
    expect(stderr).toMatch(`touchstone: a.json repaired: ${told}\ntouchstone: written to `);
    expect(read(folder)).toBe(FIXED);
  });

  it("writes no invalid document, and a valid one unchanged", async () => {
    const folder = tempDir();
    const out = ["--repair", "--out", join(folder, "out.json")];
    const files = { "a.json": FIXABLE, "good.json": GOOD };
    const left = await validate(files, ["-s", "@s.json", "@a.json", ...out]);
    expect(left.code).toBe(1);
    expect(left.stderr).toMatch(/out\.json was not written: not all is valid\n$/);
    expect(readdirSync(folder)).toEqual([]);
    expect((await validate(files, ["-s", "@s.json", "@good.json", ...out])).code).toBe(0);
    expect(read(folder)).toBe(GOOD);
  });

  it("writes all lines of JSON Lines, and leaves unrepairable ones unchanged", async () => {
    const folder = tempDir();
    const out = ["--jsonl", "--repair", "--out", join(folder, "out.json")];
    const lines = `{"city":5}\n{"city":"[\\n]"}\n\n{"city":{}}\n`;
    const { code, stderr } = await validate({ "a.jsonl": lines }, [
      "-s",
      "@s.json",
      "@a.jsonl",
      ...out,
    ]);
    expect(code).toBe(1);
    expect(stderr).toContain("a.jsonl:1 repaired: coerce-scalars at /city\n");
    expect(read(folder)).toBe('{"city":"5"}\n{"city":"[\\n]"}\n{"city":{}}\n');
  });

  it.each([
    [["@a.json", "--out", "@b.json"], "--out needs --repair"],
    [["@a.json", "@a.json", "--repair", "--out", "@b.json"], "--out takes one document"],
    [["@a.json", "--repair", "--out", "-"], "Name a file"],
    [["--repair", "@a.json"], "It takes parse-json-strings, .*safe, all"],
  ])("refuses %j", async (args, message) => {
    const { code, stderr } = await validate({ "a.json": GOOD }, ["-s", "@s.json", ...args]);
    expect(code).toBe(2);
    expect(stderr).toMatch(new RegExp(message));
  });

  it("knows the same repairs as the engine", () => {
    expect(REPAIR_KIND_WORDS).toEqual(REPAIR_NAMES);
  });
});

describe("rules and undeclared members", () => {
  const schema = JSON.stringify({
    properties: {
      city: { type: "string" },
      list: { items: { properties: { n: { type: "integer" } } } },
    },
  });
  const undeclared = ["--undeclared", "violation"];
  const other = '{"city":"a","cty":1}';
  const inside = '{"list":[{"m":1}]}';

  it.each<[string, string, string[], number, string?]>([
    ["a class", '{"city":5}', ["--rule", "type=warning"], 0, "warning: /city must be"],
    ["a class that is ignored", '{"city":5}', ["--rule", "type=ignore"], 0],
    ["a place", '{"city":5}', ["--rule", "/city=warning"], 0, "warning: /city must be"],
    ["another place", '{"city":5}', ["--rule", "/list=warning"], 1, "Change /city"],
    ["a pattern", '{"list":[{"n":"a"}]}', ["--rule", "/list/*/n=ignore"], 0],
    ["a place with =", '{"city":5}', ["--rule", "/=/x=ignore"], 1, "Change /city"],
    ["the stricter place", '{"city":5}', ["--rule", "type=ignore", "--rule", "/city=violation"], 1],
    ["undeclared, by default", other, [], 0],
    ["undeclared", other, undeclared, 1, "Remove /cty"],
    ["undeclared as a warning", other, ["--undeclared", "warning"], 0, "/cty"],
    ["undeclared with a place", other, [...undeclared, "--rule", "/cty=ignore"], 0],
    ["undeclared inside", inside, undeclared, 0],
    ["undeclared inside, deep", inside, [...undeclared, "--undeclared-at", "deep"], 1, "/list/0/m"],
    [
      "a repair of a warning",
      '{"city":5}',
      ["--rule", "type=warning", "--repair"],
      0,
      "warning: /city must be",
    ],
  ])("applies a rule for %s", async (_, document, args, code, told = "valid") => {
    const run = await validate({ "a.json": document, "x.json": schema }, [
      "-s",
      "@x.json",
      "@a.json",
      ...args,
    ]);
    expect(run).toMatchObject({ code, stdout: expect.stringContaining(told) });
    const isFixed = run.stderr.includes("can be repaired: coerce-scalars at /city");
    expect(isFixed).toBe(args.includes("--repair"));
  });

  it.each([
    ...["extras=warning", "type=off", "type", "=ignore", "policy=ignore", "/a~3=ignore", ""],
    `${"/a".repeat(65)}=ignore`,
  ])("refuses --rule %s", async (rule) => {
    const { code, stderr } = await validate({ "a.json": GOOD }, [
      "-s",
      "@s.json",
      "@a.json",
      "--rule",
      rule,
    ]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("must be") });
  });

  it("knows the same rule classes as the engine", async () => {
    const rules = SCHEMA_RULES.flatMap((each) => ["--rule", `${each}=ignore`]);
    const files = { "a.json": '{"city":5}', "x.json": schema };
    expect(await validate(files, ["-s", "@x.json", "@a.json", ...rules])).toMatchObject({
      code: 0,
    });
  });
});
