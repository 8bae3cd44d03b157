import { describe, expect, it } from "vitest";
import { validate } from "./testing/run.ts";

const GOOD = '{"city":"Oslo","n":1.0}';

describe("touchstone validate with unusable input", () => {
  it("names the option that raises a limit", async () => {
    const files = {
      "deep.json": "[[[1]]]",
      "long.json": `"${"x".repeat(100)}"`,
      "two.jsonl": `1\n"${"x".repeat(100)}"`,
    };
    const deep = await validate(files, ["-s", "@s.json", "--max-depth", "3", "@deep.json"]);
    expect(deep).toMatchObject({
      code: 1,
      stderr: "touchstone: deep.json is nested deeper than 3; --max-depth raises the limit\n",
    });
    const long = await validate(files, ["-s", "@s.json", "--max-bytes", "99", "@long.json"]);
    expect(long).toMatchObject({
      code: 1,
      stderr: "touchstone: long.json is larger than 99 bytes; --max-bytes raises the limit\n",
    });
    expect(long.stdout).toContain("payload is more than the limit of 99 bytes");
    const line = await validate(files, [
      "-s",
      "@s.json",
      "--max-bytes",
      "99",
      "--jsonl",
      "@two.jsonl",
    ]);
    expect(line.stderr).toContain("two.jsonl:2 is larger than 99 bytes");
  });

  it.each([
    ["a byte order mark", Buffer.from("\ufeff{}"), "byte order mark"],
    ["invalid UTF-8", Buffer.from([0x22, 0xff, 0x22]), "not UTF-8"],
    ["UTF-16", Buffer.from("\ufeff{}", "utf16le"), "UTF-16"],
    ["nothing", Buffer.alloc(0), "the text ends"],
  ])("reports input with %s", async (_name, bytes, reason) => {
    const { code, stdout } = await validate({}, ["-s", "@s.json", "-"], bytes);
    expect(stdout).toContain(reason);
    expect(code).toBe(1);
  });

  it("reports where a schema is unusable", async () => {
    const files = {
      "bad.json": '{\n  "properties": {"a": {"type": "strin"}}\n}',
      "cut.json": '{"type":',
    };
    const bad = await validate(files, ["-s", "@bad.json", "@cut.json"]);
    expect(bad.code).toBe(3);
    expect(bad.stderr).toMatch(
      /^touchstone: the schema cannot be used:\n {2}bad\.json:2:32 \/properties\/a\/type must be /,
    );
    const cut = await validate(files, ["-s", "@cut.json", "@s.json"]);
    expect(cut.stderr).toMatch(/\n {2}cut\.json:1:9 .*the text ends/);
  });

  it("refuses a tool definition as a schema, because it would accept every document", async () => {
    const tool = { name: "t", inputSchema: { type: "object" } };
    const files = {
      "tool.json": JSON.stringify(tool),
      "list.json": JSON.stringify({ tools: [tool] }),
      "named.json": '{"properties":{"tools":{},"name":{}}}',
      "good.json": GOOD,
    };
    const one = await validate(files, ["-s", "@tool.json", "@good.json"]);
    expect([one.code, one.stderr]).toEqual([
      3,
      "touchstone: tool.json is a tool of tools/list, not a schema; pass its inputSchema\n",
    ]);
    const list = await validate(files, ["-s", "@list.json", "@good.json"]);
    expect([list.code, list.stderr]).toEqual([
      3,
      "touchstone: list.json is a list of tools, not a schema; pass the inputSchema of one (touchstone check is for lists)\n",
    ]);
    expect((await validate(files, ["-s", "@named.json", "@good.json"])).code).toBe(0);
  });

  it("continues after an unreadable file, and exits with 3", async () => {
    const { code, stdout, stderr } = await validate({ "good.json": GOOD }, [
      "-s",
      "@s.json",
      "@gone.json",
      "@folder",
      "@good.json",
    ]);
    expect(stdout).toBe("valid    good.json\n1 document, 0 invalid\n");
    expect(stderr.split("\n")).toEqual([
      "touchstone: gone.json cannot be read: there is no such file; check the path",
      "touchstone: folder cannot be read: it is a directory; name a file",
      "touchstone: 2 files could not be read",
      "",
    ]);
    expect(code).toBe(3);
  });

  it("lists an unreadable file in each report format", async () => {
    const run = (format: string) =>
      validate({ "good.json": GOOD }, ["-s", "@s.json", "-f", format, "@good.json", "@gone.json"]);
    const junit = await run("junit");
    expect(junit.code).toBe(3);
    expect(junit.stdout).toContain('tests="2" failures="0" errors="1"');
    expect(junit.stdout).toMatch(
      /name="gone\.json">\s*<error message="gone\.json cannot be read: /,
    );
    const sarif = JSON.parse((await run("sarif")).stdout);
    expect(sarif.runs[0].invocations).toEqual([{ executionSuccessful: false }]);
    expect(sarif.runs[0].results[0]).toMatchObject({ ruleId: "file", level: "error" });
    const json = JSON.parse((await run("json")).stdout);
    expect(json[1]).toMatchObject({ name: "gone.json", valid: false, outcome: "unread" });
  });

  it("warns about an unknown format", async () => {
    const { code, stderr } = await validate({ "f.json": '{"format":"colour"}' }, [
      "-s",
      "@f.json",
      "@s.json",
    ]);
    expect(stderr).toMatch(
      /^touchstone: warning: f\.json:1:11 \/format: the format "colour" is not known/,
    );
    expect(code).toBe(0);
  });

  it.each([
    [["@a.json"], "required option '-s, --schema <file>'"],
    [["-s", "@s.json"], "missing required argument 'file'"],
    [["-s", "@s.json", "-f", "xml", "-"], "Allowed choices are pretty, json, sarif, junit"],
    [["-s", "@s.json", "--dialect", "draft-03", "-"], "Allowed choices are draft-04,"],
    [["-s", "@s.json", "--max-issues", "0", "-"], "whole number of at least 1"],
    [["-s", "@s.json", "--document", "nofile", "-"], "URI=FILE"],
    [["-s", "@s.json", "--document", "u=a", "--document", "u=b", "-"], "URI is given twice"],
    [["-s", "-", "-"], "can be given only once"],
  ])("refuses %j", async (args, reason) => {
    const { code, stderr } = await validate({}, args);
    expect(stderr).toContain(reason);
    expect(code).toBe(2);
  });

  it("shows its usage", async () => {
    const { code, stdout } = await validate({}, ["--help"]);
    expect(stdout).toMatch(/Examples:\n {2}\$ touchstone validate --schema/);
    expect(stdout).toMatch(/Exit status: 0 all documents are valid/);
    expect(code).toBe(0);
  });
});
