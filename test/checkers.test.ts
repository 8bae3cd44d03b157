import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { sample } from "../packages/core/src/testing/sample.ts";

const at = (path: string): string =>
  fileURLToPath(new URL(`../tools/checkers/${path}`, import.meta.url));
// The scripts of tools/ have no types.
const load = (path: string) => import(/* @vite-ignore */ at(path));

interface Case {
  readonly key: string;
  readonly name: string;
  readonly group: string;
  readonly revision: string;
  readonly right: string;
  readonly warn?: string;
  readonly exchange: readonly { readonly from: string; readonly text: string }[];
  readonly section: { readonly title: string; readonly link: string; readonly says: string };
}

const { readCases, readSections, bytesOf, isModern } = await load("cases.mjs");
const CASES: readonly Case[] = readCases();

/** On a busy machine, each start and each message takes a long time. */
vi.setConfig({ testTimeout: 240_000 });

const of = <T>(values: readonly T[]): ReadonlySet<T> => new Set(values);

describe("the cases of npm run checkers", () => {
  it("are at least 120 messages of all groups and both eras, forwarded ones among them", () => {
    expect(CASES.length).toBeGreaterThanOrEqual(120);
    expect([...of(CASES.map(({ group }) => group))]).toEqual(
      "bytes calls digits lists messages notifications results".split(" "),
    );
    for (const group of of(CASES.map((entry) => entry.group))) {
      const some = CASES.filter((entry) => entry.group === group);
      expect([group, of(some.map(({ revision }) => isModern(revision))).size]).toEqual([group, 2]);
      expect([group, of(some.map(({ right }) => right)).size]).toEqual([group, 2]);
    }
  });

  it("have names of their own, in words", () => {
    expect(of(CASES.map(({ key }) => key)).size).toBe(CASES.length);
    for (const { name } of CASES) expect(name).toMatch(/^[a-zA-Z0-9]+(?:-[a-zA-Z0-9]+)*$/);
    const names = CASES.map(({ group, name, revision }) => `${group} ${name} ${revision}`);
    expect(of(names).size).toBe(CASES.length);
  });

  it("rest on a section of a specification, with its link", () => {
    for (const { section } of CASES) {
      expect(section.link).toMatch(
        /^https:\/\/(?:modelcontextprotocol\.io\/specification|www\.jsonrpc\.org\/specification|www\.rfc-editor\.org\/rfc|json-schema\.org)/,
      );
      expect(section.title.length).toBeGreaterThan(5);
      expect(section.says.length).toBeGreaterThan(10);
    }
    const used = of(CASES.map(({ section }) => section.title));
    const spare = Object.values<Case["section"]>(readSections()).filter(
      ({ title }) => !used.has(title),
    );
    expect(spare).toEqual([]);
  });

  it("name an outcome, and the ends of their messages", () => {
    for (const { exchange, right, warn } of CASES) {
      expect(["blocked", "forwarded"]).toContain(right);
      expect(["blocked", undefined]).toContain(warn);
      for (const { from, text } of exchange) {
        expect(["client", "server"]).toContain(from);
        expect(text).not.toBe("");
      }
    }
  });

  it("leave no placeholder in the bytes that are sent", () => {
    for (const { exchange, revision } of CASES)
      for (const { text } of exchange) {
        const bytes: Buffer = bytesOf(text, revision, { id: "1", token: '"t"' });
        expect(bytes.toString("latin1").slice(0, 5_000)).not.toMatch(/\$[A-Z]{2}/);
      }
  });

  it("are sent through programs whose versions are pinned, none of them in package.json", () => {
    const peers: { name: string; version: string }[] = JSON.parse(
      readFileSync(at("peers.json"), "utf8"),
    );
    expect(peers.map(({ name }) => name)).toContain("fastmcp");
    const root = readFileSync(at("../../package-lock.json"), "utf8");
    for (const { name, version } of peers) {
      expect(version).toMatch(/^\d+\.\d+\.\d+$/);
      expect(root).not.toContain(`"node_modules/${name}"`);
    }
    expect(readdirSync(at("cases"))).toHaveLength(7);
  });
});

describe("the exact comparison of JSON", () => {
  it("reads what RFC 8259 allows, and nothing else", async () => {
    const { parseExact } = await load("json.mjs");
    for (const text of ['"\\ud800"', "[1,2 ]", '{"a":{},"a":null}', "-0.5e+10", '"\u007f\u2028"'])
      expect([text, parseExact(text) === undefined]).toEqual([text, false]);
    for (const text of [
      "01",
      "[1,]",
      "'a'",
      '"\n"',
      "NaN",
      "{a:1}",
      "1 2",
      "",
      '"\\x"',
      "[".repeat(9),
    ])
      expect([text, parseExact(text)]).toEqual([text, undefined]);
  });

  it.each([
    ['{"a":1,"b":[2]}', '{ "b":[2.0], "a":1e0 }', []],
    [
      '{"n":9007199254740993}',
      '{"n":9007199254740992}',
      ["/n: 9007199254740993 → 9007199254740992"],
    ],
    ['{"n":0.10}', '{"n":1e-1}', []],
    ['{"n":-0}', '{"n":0}', []],
    ['{"a":1,"a":2}', '{"a":2}', ["/a: 2 times → 1"]],
    ['{"a":null}', '{"a":{}}', ["/a: null → {}"]],
    ['{"a":[1,2]}', '{"a":[1],"b":0}', ["/a/1 removed", "/b added"]],
  ])("finds where %s and %s differ", async (before, after, found) => {
    const { parseExact, differences } = await load("json.mjs");
    expect(differences(parseExact(before), parseExact(after))).toEqual(found);
  });
});

describe("what is printed", () => {
  const [first, second] = CASES.filter(({ key }) =>
    ["fitting-arguments@2025-11-25", "wrong-type@2025-11-25"].includes(key),
  );
  const outcomes = new Map([
    ["fitting-arguments@2025-11-25", { kind: "forwarded", detail: "added: its own _meta" }],
    ["wrong-type@2025-11-25", { kind: "blocked", detail: "-32602" }],
  ]);
  const programs = [
    { title: "One", version: "1.2.3", client: "stdio", server: "HTTP", outcomes },
    {
      title: "Two",
      version: "4.5.6",
      client: "HTTP",
      server: "stdio",
      missing: "no wheel",
      outcomes: new Map(),
    },
  ];

  it("is a table of facts, and why a program was not run", async () => {
    const { textOf } = await load("report.mjs");
    const text: string = textOf([first, second], programs);
    expect(text.split("\n").filter((line) => line.startsWith("|"))).toEqual([
      "| case | revision | right | One | Two |",
      "| --- | --- | --- | --- | --- |",
      "| fitting-arguments | 2025-11-25 | forwarded | added: its own \\_meta | not run |",
      "| wrong-type | 2025-11-25 | blocked | blocked -32602 | not run |",
    ]);
    expect(text).toContain("not run: Two 4.5.6: no wheel");
  });

  it("is a page with counts, versions and links to sections", async () => {
    const { pageOf } = await load("page.mjs");
    const page: string = pageOf([first, second], programs, { date: "2026-11-30", node: "v20" });
    expect(page).toContain("| Two | 4.5.6 | HTTP | stdio |");
    expect(page).toContain("| One | forwarded | 0 | 0 | 1 | 0 | 0 | 0 | 0 | 0 | 0 |");
    expect(page).toContain("| One | blocked | 1 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 |");
    expect(page).toContain("[blocked](https://json-schema.org/");
    expect(page).toContain("- Two 4.5.6: no wheel");
  });
});

it("the pages show every case (else run `npm run checkers -- --page` and commit the result)", () => {
  const page = readFileSync(at("../../docs/reference/checkers.md"), "utf8");
  const rows = CASES.filter(
    ({ name, revision, section }) =>
      !page.includes(`| ${name} | ${revision} | [`) || !page.includes(section.link),
  );
  expect(rows.map(({ key }) => key)).toEqual([]);
  const comparison = readFileSync(at("../../docs/explanation/comparison.md"), "utf8");
  expect(comparison).toContain(`with ${CASES.length} messages`);
  const peers: { version: string }[] = JSON.parse(readFileSync(at("peers.json"), "utf8"));
  for (const { version } of peers) {
    expect(page).toContain(`| ${version} |`);
    expect(comparison).toContain(version);
  }
});

describe("the suite", () => {
  // Each list of tools needs a separate start.
  const isStart = ({ group }: Case): boolean => group === "lists";
  const some = CASES.filter((entry, index) =>
    isStart(entry) ? index % sample(12, 2, 1) === 0 : index % sample(6, 2, 1) === 0,
  );

  it.each(["touchstone-strict", "touchstone-warn"])(
    "finds that %s does what is right",
    async (name) => {
      const { CHECKERS } = await load("starts.mjs");
      const { runCases } = await load("run.mjs");
      const { wrongOf } = await load("report.mjs");
      const checker = CHECKERS.find((one: { name: string }) => one.name === name);
      const outcomes = await runCases(checker, some, { cache: tmpdir() });
      expect(wrongOf(some, name, outcomes)).toEqual([]);
      expect(outcomes.size).toBe(some.length);
    },
  );

  it("finds that strict blocks a request that lacks the revision", async () => {
    const { CHECKERS } = await load("starts.mjs");
    const { runCases } = await load("run.mjs");
    const [checker] = CHECKERS;
    const some = CASES.filter(({ name }) => name === "meta-missing");
    const outcomes = await runCases(checker, some, { cache: tmpdir() });
    expect([...outcomes.values()]).toEqual([{ kind: "blocked", detail: "-32602" }]);
  });

  it("finds that a program that only forwards blocks nothing that is JSON", async () => {
    const { overStdio } = await load("processes.mjs");
    const { runCases } = await load("run.mjs");
    const { wrongOf } = await load("report.mjs");
    const relay = overStdio((server: { command: string[] }) => ({ words: server.command }));
    const calls = CASES.filter(
      ({ group, right }) => group === "calls" && right === "blocked",
    ).slice(0, 9);
    const outcomes = await runCases({ name: "relay", start: relay }, calls, {});
    expect(wrongOf(calls, "relay", outcomes)).toHaveLength(9);
    for (const outcome of outcomes.values())
      expect(outcome).toEqual({ kind: "forwarded", detail: "same bytes" });
  });

  it("reports a program that does not start, instead of outcomes", async () => {
    const { overStdio } = await load("processes.mjs");
    const { runCases } = await load("run.mjs");
    const script = "console.error('Error: no key'); process.exit(1)";
    const broken = overStdio(() => ({ words: [process.execPath, "-e", script] }));
    const outcomes = await runCases({ name: "broken", start: broken }, CASES.slice(0, 3), {});
    for (const { kind, detail } of outcomes.values()) {
      expect(kind).toBe("not run");
      expect(detail).toContain("Error: no key");
    }
  });
});
