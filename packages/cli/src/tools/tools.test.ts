import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { long } from "../../../core/src/testing/sample.ts";
import { EVERYTHING_SERVER, FAULTY_SERVER, outcomeOf, tempDir } from "../testing/touchstone.ts";

const FAULTY = ["--", process.execPath, FAULTY_SERVER];
const faulty = { command: process.execPath, args: [FAULTY_SERVER] };

function config(mcpServers: object): string {
  const file = join(tempDir(), "touchstone.json");
  writeFileSync(file, JSON.stringify({ mcpServers }));
  return file;
}

describe("touchstone tools", () => {
  it("lists a server's tools with their arguments", async () => {
    const { code, out } = await outcomeOf(["tools", ...FAULTY]);
    expect(code).toBe(0);
    const [titles, ...rows] = out.trimEnd().split("\n");
    expect(titles).toMatch(/^TOOL +ARGUMENTS +DESCRIPTION$/);
    expect(rows).toHaveLength(9);
    expect(rows[0]).toMatch(/^get_weather +city, units\? +Weather of a city\./);
  });

  it("shows types, results and hints in the wide form", async () => {
    const { out } = await outcomeOf(["tools", "-o", "wide", ...FAULTY]);
    expect(out).toMatch(/^TOOL +ARGUMENTS +RETURNS +HINTS +DESCRIPTION\n/);
    expect(out).toMatch(
      /get_weather +city:string, units\?:"celsius" \| "fahrenheit" +city:string, temperature:number/,
    );
  });

  it("describes one tool", async () => {
    const { code, out } = await outcomeOf(["tools", "get_weather", ...FAULTY]);
    expect(code).toBe(0);
    expect(out).toBe(`get_weather  Get weather
  Weather of a city. Faulty: for Berlin the temperature is a string.

Arguments
  city   string                    required
  units  "celsius" | "fahrenheit"

Returns
  city         string  required
  temperature  number  required
`);
  });

  it("prints JSON that check reads, with the text that the server sent", async () => {
    const { code, out, err } = await outcomeOf(["tools", "-o", "json", ...FAULTY]);
    expect([code, err]).toEqual([0, ""]);
    expect(JSON.parse(out)).toMatchObject({ server: "faulty-server", revision: "2026-07-28" });
    const file = join(tempDir(), "tools-list.json");
    writeFileSync(file, out);
    const [fromFile, fromServer] = await Promise.all([
      outcomeOf(["check", "-o", "json", file]),
      outcomeOf(["check", "-o", "json", ...FAULTY]),
    ]);
    const found = (text: string) =>
      JSON.parse(text).findings.map(({ rule, path }: { rule: string; path: string }) => [
        rule,
        path,
      ]);
    expect(found(fromFile.out)).toEqual(found(fromServer.out));
    const again = await outcomeOf(["tools", "-o", "json", file]);
    expect(JSON.parse(again.out).tools).toEqual(JSON.parse(out).tools);
  });

  it("keeps the digits of numbers in every machine format", async () => {
    const file = join(tempDir(), "tools.json");
    const digits = "12345678901234567890";
    const tool = `{"name":"t","inputSchema":{"type":"object","properties":{"n":{"maximum":${digits}}}}}`;
    writeFileSync(file, `[${tool}]`);
    for (const format of ["json", "jsonl", "yaml"]) {
      const { out } = await outcomeOf(["tools", "-o", format, file]);
      expect(out).toContain(digits);
    }
    const jsonl = await outcomeOf(["tools", "-o", "jsonl", file]);
    expect(jsonl.out).toBe(`{"server":${JSON.stringify(file)},"tool":${tool}}\n`);
    const one = await outcomeOf(["tools", "-o", "jsonl", file, "t"]);
    expect(one.out).toBe(`${tool}\n`);
  });

  it("lists the tools of every enabled server, and skips unreachable ones", long, async () => {
    const file = config({
      faulty,
      everything: { command: process.execPath, args: [EVERYTHING_SERVER] },
      broken: { command: process.execPath, args: ["-e", ""] },
      off: { ...faulty, disabled: true },
    });
    const people = await outcomeOf(["tools", "--config", file]);
    expect(people.code).toBe(3);
    expect(people.out).toMatch(/^faulty\/get_weather /m);
    expect(people.out).toMatch(/^everything\/get-sum +a, b /m);
    expect(people.out).not.toContain("off/");
    expect(people.err).toContain("touchstone: broken cannot be reached: ");
    expect(people.err).toContain("touchstone: 1 of 3 servers not listed");
    const yaml = await outcomeOf(["tools", "--config", file, "-o", "yaml"]);
    const { servers } = parse(yaml.out);
    expect(servers.map(({ server }: { server: string }) => server)).toEqual([
      "faulty",
      "everything",
      "broken",
    ]);
    expect(servers[2].failure.reason).toMatch(/^broken cannot be reached/);
  });

  it.each([
    [["tools"], 2, "or name a server: a URL, or -- COMMAND ARGS…"],
    [["tools", "a", "b", "c"], 2, 'tools takes a server and one tool; "c" is too much'],
    [["tools", "get_wether", ...FAULTY], 2, 'did you mean "get_weather"?'],
    [["tools", "http://127.0.0.1:1/mcp"], 3, "cannot be reached"],
    [["tools", "none.json"], 3, "none.json"],
    [["tools", "--header", "a=b"], 2, "--header goes with a URL"],
  ])("%j exits with %i", async (args, code, said) => {
    const ended = await outcomeOf(args);
    expect([ended.code, ended.out, ended.err]).toEqual([code, "", expect.stringContaining(said)]);
  });

  it("reports in JSON why a server cannot be reached", async () => {
    const { code, out } = await outcomeOf(["tools", "-o", "json", "http://127.0.0.1:1/mcp"]);
    expect(code).toBe(3);
    expect(JSON.parse(out)).toEqual({
      server: "127.0.0.1:1",
      failure: { reason: expect.stringContaining("cannot be reached") },
    });
  });
});

describe("touchstone call", () => {
  const call = (...args: string[]) =>
    outcomeOf(["call", ...args, "--", process.execPath, EVERYTHING_SERVER]);

  it("lists the tools if none is named", long, async () => {
    const { code, out, err } = await call();
    expect(code).toBe(0);
    expect(out).toMatch(/^TOOL +ARGUMENTS +DESCRIPTION\necho +message /);
    expect(err).toContain("name one of them to call it");
    const json = await call("-o", "json");
    expect(JSON.parse(json.out).tools.map(({ name }: { name: string }) => name)).toContain("echo");
  });

  it("converts arguments to the types in the tool's schema", long, async () => {
    const sum = await call("get-sum", "-a", "a=2", "--argument", "b=3");
    expect(sum.code).toBe(0);
    expect(JSON.parse(sum.out).content[0].text).toBe("The sum of 2 and 3 is 5.");
    const echo = await call("echo", "-a", "message=007");
    expect(JSON.parse(echo.out).content[0].text).toBe("Echo: 007");
  });

  it(
    "names the type and the allowed values for an argument that does not match",
    long,
    async () => {
      const text = await call("get-sum", "-a", "a=2", "-a", "b=three");
      expect(text.code).toBe(1);
      expect(text.err).toContain("Change /b: must be a number; it is a string of 5 characters.");
      const value = await outcomeOf([
        "call",
        "get_weather",
        "-a",
        "city=Oslo",
        "-a",
        "units=k",
        ...FAULTY,
      ]);
      expect(value.code).toBe(1);
      expect(value.err).toContain('Change /units: must be one of "celsius", "fahrenheit"');
    },
  );

  it.each([
    [["-a", "a=1"], "-a needs a tool"],
    [["echo", "{}", "-a", "message=x"], "give the arguments as JSON or with -a, not both"],
    [["echo", "-a", "message"], "-a message: write it as key=value"],
    [["echo", "message=x", "more"], "or each with -a key=value"],
  ])("refuses %j", async (args, said) => {
    const { code, out, err } = await call(...args);
    expect([code, out, err]).toEqual([2, "", expect.stringContaining(said)]);
  });
});
