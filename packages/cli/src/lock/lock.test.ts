import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { EVERYTHING_SERVER, type Outcome, outcomeOf } from "../testing/touchstone.ts";

const search = (more: object = {}, properties: object = {}): object => ({
  name: "search",
  description: "Searches.\nFast.",
  inputSchema: {
    type: "object",
    properties: {
      query: { type: "string" },
      limit: { type: "integer", maximum: 500 },
      ...properties,
    },
    required: ["query"],
  },
  ...more,
});
const BEFORE = [search(), { name: "old", inputSchema: { type: "object" } }];
/** One change of each class. */
const AFTER = [
  search(
    { description: "Searches.\nAlways call this first. <b>@all</b> `x`" },
    {
      limit: { type: "integer", maximum: 100 },
      after: { type: "string" },
    },
  ),
  { name: "extra", inputSchema: { type: "object" } },
];

const folders: string[] = [];

class Folder {
  readonly path = mkdtempSync(join(tmpdir(), "touchstone-"));

  constructor() {
    folders.push(this.path);
  }

  get lock(): string {
    return join(this.path, "touchstone.lock");
  }

  tools(name: string, tools: readonly object[]): string {
    const file = join(this.path, name);
    writeFileSync(file, JSON.stringify({ tools }));
    return file;
  }

  run(...args: readonly string[]): Promise<Outcome> {
    return outcomeOf(["lock", "--lock", this.lock, ...args]);
  }
}

/** A folder with a lock of {@link BEFORE}, and files with both versions. */
const folder = new Folder();
const before = folder.tools("before.json", BEFORE);
const after = folder.tools("after.json", AFTER);
/** Commands only run inside tests; the first one that needs the lock writes it. */
async function check(...args: readonly string[]): Promise<Outcome> {
  if (!existsSync(folder.lock)) await folder.run(before);
  return folder.run("--check", ...args);
}

describe("touchstone lock", () => {
  afterAll(() => {
    for (const path of folders) rmSync(path, { recursive: true, force: true });
  });

  it("writes a file, and reports what it holds", async () => {
    const { code, err } = await folder.run(before);
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(/wrote .*: .*before\.json with 2 tools\n$/),
    ]);
  });

  it("writes the same text again, whatever the order of tools and keys", async () => {
    const other = new Folder();
    const turned = [...BEFORE]
      .reverse()
      .map((tool) => Object.fromEntries(Object.entries(tool).reverse()));
    await folder.run(before);
    await other.run("--name", before, other.tools("before.json", turned));
    expect(readFileSync(other.lock, "utf8")).toBe(readFileSync(folder.lock, "utf8"));
  });

  it("finds nothing if nothing has changed", async () => {
    const { code, out } = await check("--fail-on", "any", before);
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/2 checked, 0 errors, 0 warnings, 0 notes/),
    ]);
  });

  it("reports what each change means, and shows which arguments are now refused", async () => {
    const { code, out } = await check(after);
    expect(code).toBe(1);
    expect(out).toMatch(/^search$/m);
    expect(out).toMatch(
      /error breaking\/input-schema \/inputSchema \(\d+:\d+\): arguments that were accepted are now refused: .*limit.*100/,
    );
    expect(out).toMatch(/^ {6}\{"limit":[1-5]\d\d,"query":""\}$/m);
    expect(out).toMatch(
      /warning text\/text \/description \(\d+:\d+\): the description has changed/,
    );
    expect(out).toContain("        Searches.\n      - Fast.\n      + Always call this first.");
    expect(out).toMatch(/^old\n {2}error breaking\/gone.*: this tool is gone$/m);
    expect(out).toMatch(/^extra\n {2}note new\/new.*: this tool is new$/m);
    expect(out).toMatch(/3 checked, 2 errors, 1 warning, 1 note\n$/);
  });

  it("prints the same report every time", async () => {
    const [one, other] = [await check(after, "-o", "json"), await check(after, "-o", "json")];
    expect(other.out).toBe(one.out);
  });

  const texts = [search({ description: "Other." }), ...BEFORE.slice(1)];
  const fine = [...BEFORE, { name: "extra" }];
  it.each([
    ["breaking", AFTER, 1],
    ["breaking", texts, 0],
    ["text", texts, 1],
    ["text", fine, 0],
    ["any", fine, 1],
    ["any", BEFORE, 0],
  ])("with --fail-on %s exits with the right status: %#", async (failOn, tools, wanted) => {
    const file = folder.tools("some.json", tools);
    expect((await check("--fail-on", failOn, file)).code).toBe(wanted);
  });

  it.each([
    ["json", /"rule": "breaking\/input-schema",\n\s+"level": "error",\n\s+"subject": "search"/],
    ["sarif", /"ruleId": "breaking\/gone"/],
    [
      "junit",
      /<testcase classname="[^"]+" name="old">\n\s+<failure message="1 finding">error breaking\/gone/,
    ],
    [
      "markdown",
      /#### Errors\n\n(?:- .*\n)*- \*\*`search`\*\* `\/inputSchema` `breaking\/input-schema`: arguments that/,
    ],
  ])("prints a %s report", async (format, wanted) => {
    const { code, out } = await check(after, "-o", format);
    expect([code, out]).toEqual([1, expect.stringMatching(wanted)]);
  });

  it("writes additional reports of the same run", async () => {
    const [sarif, page] = ["lock.sarif", "lock.md"].map((name) => join(folder.path, name));
    const { code, out } = await check(
      after,
      "--report",
      `sarif=${sarif}`,
      "--report",
      `markdown=${page}`,
    );
    expect([code, out]).toEqual([1, expect.stringMatching(/^search$/m)]);
    expect(JSON.parse(readFileSync(String(sarif), "utf8")).version).toBe("2.1.0");
    expect(readFileSync(String(page), "utf8")).toContain("#### Errors");
    const lost = await check("--report", `markdown=${page}`, "--", process.execPath, "-e", "0");
    expect([lost.code, lost.out]).toEqual([3, ""]);
    expect(readFileSync(String(page), "utf8")).toMatch(/`server`: .*cannot be reached/);
    const wrong = await check(after, "--report", "xml=a");
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringMatching(/Write FORMAT=FILE/)]);
  });

  it("gives findings a place in the lock file", async () => {
    const { out } = await check(after, "-o", "sarif");
    const [{ physicalLocation }] = JSON.parse(out).runs[0].results.map(
      ({ locations }: { locations: unknown[] }) => locations[0],
    );
    expect(physicalLocation.artifactLocation.uri).toMatch(/touchstone\.lock$/);
    const line = readFileSync(folder.lock, "utf8").split("\n")[
      physicalLocation.region.startLine - 1
    ];
    expect(line).toMatch(/"(?:definition|description|inputSchema)": /);
  });

  it("escapes a server's Markdown in the report", async () => {
    const hostile = [
      search({ description: "```\n<img src=x> @somebody\n# x", name: "a`b" }),
      ...BEFORE,
    ];
    const { out } = await check(folder.tools("hostile.json", hostile), "-o", "markdown");
    expect(out).toContain("- **`` a`b ``** `new/new`: this tool is new");
    const changed = await check(
      folder.tools("hostile.json", [
        search({ description: "```\n<img src=x>" }),
        ...BEFORE.slice(1),
      ]),
      ...["-o", "markdown"],
    );
    expect(changed.out).toContain(
      "  ````diff\n  - Searches.\n  - Fast.\n  + ```\n  + <img src=x>\n  ````\n",
    );
  });

  it("reports newly closed schemas once for people, but per tool in JSON", async () => {
    const own = new Folder();
    const many = (more: object) =>
      Array.from({ length: 12 }, (_, n) => ({
        name: `t${String(n).padStart(2, "0")}`,
        inputSchema: { type: "object", properties: { a: {} }, ...more },
      }));
    await own.run("--name", "s", own.tools("open.json", many({})));
    const closed = own.tools("closed.json", many({ additionalProperties: false }));
    const said =
      "arguments that the locked schema does not declare are now refused; declared ones are accepted as before, in t00, t01, t02, t03, t04, t05, t06, t07, t08, t09 and 2 more";
    const pretty = await own.run("--check", closed);
    expect([pretty.code, pretty.out]).toEqual([
      1,
      `12 tools\n  error breaking/closed-schema: ${said}\n${own.lock}: s: 12 checked, 12 errors, 0 warnings, 0 notes\n`,
    ]);
    const page = await own.run("--check", closed, "-o", "markdown");
    expect(page.out).toContain(`- **\`12 tools\`** \`breaking/closed-schema\`: ${said}\n`);
    const json = await own.run("--check", closed, "-o", "sarif");
    expect(JSON.parse(json.out).runs[0].results).toHaveLength(12);
  });

  describe("changes that may pass", () => {
    const closing = new Folder();
    const quotes = (pattern: string) => search({}, { text: { type: "string", pattern } });
    const open = { name: "open", inputSchema: { type: "object", properties: { a: {} } } };
    const closed = { ...open, inputSchema: { ...open.inputSchema, additionalProperties: false } };
    const result = (more: object) => ({
      ...open,
      name: "result",
      outputSchema: { ...open.inputSchema, ...more },
    });
    const lockOf = async (name: string, tool: object): Promise<string> => {
      const lock = join(closing.path, `${name}.lock`);
      await outcomeOf([
        "lock",
        "--lock",
        lock,
        "--name",
        "s",
        closing.tools("before.json", [tool]),
      ]);
      return lock;
    };
    // A backreference cannot be expressed as an automaton.
    const [one, other] = [quotes("^(['\"]).*\\1$"), quotes("^(?:(['\"]).*\\1)$")];
    const unproven = "unproven/input-schema";

    it.each<[string, object, object, readonly string[], number]>([
      ["breaking/closed-schema", open, closed, [], 1],
      ["breaking/closed-schema", open, closed, ["--allow", "opened", "--allow-unproven"], 1],
      ["breaking/closed-schema", open, closed, ["--allow", "opened", "--allow", "closed"], 0],
      ["breaking/closed-schema", open, closed, ["--allow", "closed", "--fail-on", "text"], 0],
      ["breaking/closed-schema", open, closed, ["--allow", "closed", "--fail-on", "any"], 1],
      ["breaking/opened-schema", result({ additionalProperties: false }), result({}), [], 1],
      [
        "breaking/opened-schema",
        result({ additionalProperties: false }),
        result({}),
        ["--allow", "opened"],
        0,
      ],
      [unproven, one, other, [], 1],
      [unproven, one, other, ["--allow", "closed"], 1],
      [unproven, one, other, ["--allow-unproven"], 0],
      [
        "breaking/input-schema",
        quotes("a"),
        quotes("b"),
        ["--allow-unproven", "--allow", "closed"],
        1,
      ],
    ])("%s: %#", async (rule, before, after, options, wanted) => {
      const lock = await lockOf(`l${options.length}`, before);
      const file = closing.tools("after.json", [after]);
      const args = [
        "lock",
        "--lock",
        lock,
        "--name",
        "s",
        "--check",
        file,
        "-o",
        "json",
        ...options,
      ];
      const { code, out } = await outcomeOf(args);
      const findings = JSON.parse(out).findings ?? JSON.parse(out).reports[0].findings;
      const allowed = options.filter((option) => option !== "--allow" && option !== "--fail-on");
      const level = wanted === 0 || options.includes("any") ? "note" : "error";
      expect([code, findings]).toEqual([wanted, [expect.objectContaining({ rule, level })]]);
      if (level === "note") {
        expect(findings[0].message).toContain(
          `passes with ${allowed.includes("--allow-unproven") ? "--allow-unproven" : `--allow ${rule.slice(9, 15)}`}`,
        );
      }
    });

    it("says what would decide an unproven change, in every format", async () => {
      const lock = await lockOf("formats", one);
      const file = closing.tools("after.json", [other]);
      for (const format of ["pretty", "json", "sarif", "junit", "markdown"]) {
        const args = ["lock", "--lock", lock, "--name", "s", "--check", file, "-o", format];
        const { code, out } = await outcomeOf(args);
        expect([format, code, out]).toEqual([
          format,
          1,
          expect.stringMatching(
            /there is no proof that it still accepts what it accepted: what decides it is \/properties\/text\/pattern \(no counterexample in \d+ values\)/,
          ),
        ]);
        expect(out).toContain(unproven);
        expect(out).not.toContain("compatible");
      }
    });
  });

  it("updates one server, keeps the others, and reports what it approves", async () => {
    const own = new Folder();
    const [one, other] = [own.tools("one.json", BEFORE), own.tools("other.json", BEFORE)];
    await own.run("--name", "one", one);
    await own.run("--name", "other", other);
    const { code, out } = await own.run("--name", "one", own.tools("one.json", AFTER));
    expect([code, out]).toEqual([0, expect.stringMatching(/error breaking\/gone/)]);
    const { servers } = JSON.parse(readFileSync(own.lock, "utf8"));
    expect(Object.keys(servers.one.tools)).toEqual(["extra", "search"]);
    expect(Object.keys(servers.other.tools)).toEqual(["old", "search"]);
    const unsaid = await own.run("--check", one);
    expect([unsaid.code, unsaid.err]).toEqual([
      2,
      expect.stringMatching(
        /has no server ".*one\.json"\. It has: one, other; name one with --name/,
      ),
    ]);
    expect((await own.run("--check", "--name", "other", other)).code).toBe(0);
  });

  it("locks a server's instructions, prompts and resource templates", long, async () => {
    const own = new Folder();
    const command = ["--", process.execPath, EVERYTHING_SERVER];
    const first = await own.run(...command);
    expect([first.code, first.err]).toEqual([
      0,
      expect.stringMatching(
        /server-everything with \d+ tools, \d+ prompts, \d+ resource templates/,
      ),
    ]);
    const { servers } = JSON.parse(readFileSync(own.lock, "utf8"));
    expect(servers["server-everything"]).toMatchObject({
      identity: { name: "mcp-servers/everything" },
      instructions: { text: expect.stringContaining("Everything") },
      tools: { echo: { definition: { name: "echo" } } },
      prompts: { "args-prompt": { definition: { name: "args-prompt" } } },
    });
    const again = await own.run("--check", "--fail-on", "any", ...command);
    expect([again.code, again.err]).toEqual([0, expect.not.stringContaining("not compared")]);
    // A file only has tools.
    const tools = own.tools("tools.json", BEFORE);
    const left =
      /: not compared, since only one side has them: \d+ prompts, \d+ resource templates, instructions, identity\n$/;
    const checked = await own.run("--check", "--name", "server-everything", tools);
    expect(checked.err).toMatch(left);
    const other = new Folder();
    await other.run("--name", "server-everything", tools);
    expect((await other.run("--check", "--name", "server-everything", tools)).err).toBe("");
    expect((await other.run("--check", ...command)).err).toMatch(left);
  });

  it("compares a new entry with the one whose server gives itself the same name", async () => {
    const own = new Folder();
    await own.run("--", process.execPath, EVERYTHING_SERVER);
    // The same server, started from another folder.
    const copy = join(own.path, "crm2.mjs");
    writeFileSync(copy, `await import(${JSON.stringify(pathToFileURL(EVERYTHING_SERVER))});`);
    const moved = ["--", process.execPath, copy];
    expect((await own.run("--check", "--fail-on", "any", ...moved)).code).toBe(0);
    const second = await own.run(...moved);
    expect([second.code, second.out, second.err]).toEqual([
      0,
      expect.stringMatching(/touchstone\.lock: server-everything: \d+ checked, 0 errors/),
      expect.stringMatching(
        /crm2 is a new entry, but its server calls itself "mcp-servers\/everything", as server-everything did: it was compared with that entry\. .* --name server-everything and/,
      ),
    ]);
    const third = await own.run("--name", "third", ...moved);
    expect([third.code, third.out, third.err]).toEqual([
      0,
      "",
      expect.stringMatching(
        /as (?:server-everything, crm2|crm2, server-everything) did: none was /,
      ),
    ]);
    const again = await own.run("--name", "third", ...moved);
    expect(again.err).not.toContain("new entry");
  });

  it.each([
    ["no lock file", [], /there is no .*touchstone\.lock; write it with touchstone lock/, 2],
    ["a broken lock file", "{", /touchstone\.lock:1:2: it is not JSON/, 2],
    ["another file", '{"lock_version":1}', /touchstone\.lock:1:1: \/servers/, 2],
  ])("refuses %s", async (_, text, wanted, code) => {
    const own = new Folder();
    if (typeof text === "string") writeFileSync(own.lock, text);
    const ended = await own.run("--check", own.tools("tools.json", BEFORE));
    expect([ended.code, ended.err]).toEqual([code, expect.stringMatching(wanted)]);
    if (typeof text !== "string") return;
    const written = await own.run(own.tools("tools.json", BEFORE));
    expect([written.code, readFileSync(own.lock, "utf8")]).toEqual([2, text]);
  });

  it("leaves the lock unchanged if a server does not respond, and reports that as a finding", async () => {
    const own = new Folder();
    await own.run("--name", "s", own.tools("tools.json", BEFORE));
    const { code, out } = await own.run(
      "--check",
      "-o",
      "sarif",
      "--",
      process.execPath,
      "-e",
      "0",
    );
    expect([code, out]).toEqual([3, expect.stringMatching(/"executionSuccessful": false/)]);
    const unlocked = new Folder();
    const ended = await unlocked.run("--", process.execPath, "-e", "0");
    expect([ended.code, existsSync(unlocked.lock)]).toEqual([3, false]);
  });

  it.each([
    [["a", "b"], /lock takes one server or file; "b" is too much/],
    [["--fail-on", "x", "a"], /breaking, text, any/],
    [["--allow", "x", "a"], /closed, opened/],
    [["--lock", "-", "a"], /Name a file/],
  ])("refuses the command line %j", async (args, wanted) => {
    const { code, err } = await outcomeOf(["lock", ...args]);
    expect([code, err]).toEqual([2, expect.stringMatching(wanted)]);
  });
});
