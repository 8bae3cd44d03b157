import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { sample } from "../../../core/src/testing/sample.ts";
import { applyEdits, type Entry, readEntries } from "./entries.ts";
import { readTomlEntries } from "./toml-entries.ts";
import { unwrapEntry } from "./unwrap-entry.ts";
import { type WrapCommand, wrapEntry } from "./wrap-entry.ts";
import { readYamlEntries } from "./yaml-entries.ts";

const HOW: WrapCommand = { command: "touchstone", args: [], options: ["--mode", "strict"] };
type Read = (text: string) => readonly Entry[];

function rewritten(text: string, read: Read, by: typeof wrapEntry | typeof unwrapEntry): string {
  const edits = read(text).flatMap((entry) => {
    const change = by(text, entry, HOW, true);
    return "left" in change ? [] : change.edits;
  });
  return applyEdits(text, edits);
}

/** Wraps the servers in a text and restores them; the restored text must have the same bytes. */
function wrapped(text: string, read: Read): string {
  const after = rewritten(text, read, wrapEntry);
  expect(rewritten(after, read, unwrapEntry)).toBe(text);
  // Twice is once.
  expect(rewritten(after, read, wrapEntry)).toBe(after);
  return after;
}

const left = (text: string, read: Read): readonly string[] =>
  read(text).map((entry) => {
    const change = wrapEntry(text, entry, HOW, false);
    return "left" in change ? change.left : "";
  });

const WORDS = '"wrap", "--name", "s", "--mode", "strict"';

describe("Codex's TOML", () => {
  it.each([
    [
      "a table",
      '[mcp_servers.s] # mine\ncommand = "npx" # c\nargs = ["-y", "x"]\n',
      `[mcp_servers.s] # mine\ncommand = "touchstone" # c\nargs = [${WORDS}, "--", "npx", "-y", "x"]\n`,
    ],
    [
      "a table without arguments, at the end, with CRLF",
      "a = 1\r\n[mcp_servers.s]\r\n\tcommand = 'C:\\x\\npx' # c",
      `a = 1\r\n[mcp_servers.s]\r\n\tcommand = "touchstone" # c\r\n\targs = [${WORDS}, "--installed", "no-args", "--", 'C:\\x\\npx']`,
    ],
    [
      "a list over lines, with comments and a comma at its end",
      '[mcp_servers.s]\nargs = [\n  # one\n  "a",\n  \'b\', # two\n]\ncommand = """npx"""\nenv = { A = "b" }\n',
      `[mcp_servers.s]\nargs = [${WORDS}, "--", """npx""",\n  # one\n  "a",\n  'b', # two\n]\ncommand = "touchstone"\nenv = { A = "b" }\n`,
    ],
    [
      "an inline table",
      "[mcp_servers]\ns = { command = 'npx', args = ['x'] }\n",
      `[mcp_servers]\ns = { command = "touchstone", args = [${WORDS}, "--", 'npx', 'x'] }\n`,
    ],
    [
      "an inline table without arguments",
      "mcp_servers = {}\n[mcp_servers]\ns = { command = 'npx' }\n",
      `mcp_servers = {}\n[mcp_servers]\ns = { command = "touchstone", args = [${WORDS}, "--installed", "no-args", "--", 'npx'] }\n`,
    ],
    [
      "an empty list",
      '[mcp_servers."s"]\ncommand = "npx"\nargs = []\n[mcp_servers.s.env]\nA = "1"\n[other]\ncommand = "x"\n',
      `[mcp_servers."s"]\ncommand = "touchstone"\nargs = [${WORDS}, "--", "npx"]\n[mcp_servers.s.env]\nA = "1"\n[other]\ncommand = "x"\n`,
    ],
  ])("wraps %s", (_, before, after) => {
    expect(wrapped(before, readTomlEntries)).toBe(after);
  });

  it.each([
    ['[mcp_servers.s]\nurl = "https://x"\nbearer_token_env_var = "T"\n', /reached by url/],
    ['[mcp_servers.s]\ncommand = "npx"\nenabled = false\n', /disabled/],
    ['[mcp_servers.s]\ncommand = "npx"\ncommand = "y"\n', /"command" occurs twice/],
    ["[mcp_servers.s]\ncommand = 5\n", /not text/],
    ['[mcp_servers]\ns.command = "npx"\n', /no command and no url/],
  ])("leaves %j unchanged", (text, why) => {
    expect(left(text, readTomlEntries)).toEqual([expect.stringMatching(why)]);
  });

  it.each([
    ["a", '= .* expected on line 1|a "=" is expected on line 1'],
    ["a = ", "a value is expected on line 1"],
    ['a = 1\nb = "x', "a text does not end on line 2"],
    ["a = [1, 2", '"]" is expected'],
    ["a = 1 b = 2", "there is text after the value"],
    ['a = "\\q"', "an escape"],
    ['a = "\\ud800"', "an escape"],
    ["[a", '"]" is expected'],
    [`a = ${"[".repeat(5_000)}`, "too deep"],
  ])("refuses %j", (text, why) => {
    expect(() => readTomlEntries(text)).toThrow(new RegExp(`not TOML: .*${why}|${why}`));
  });
});

describe("YAML", () => {
  const continues = (entry: string): string => `name: c # mine\nmcpServers:\n${entry}models: []\n`;
  it.each([
    [
      "Continue's list, a text on each line",
      continues(
        '  - name: s\n    command: npx\n    args:\n      # one\n      - -y\n      - "x" # two\n',
      ),
      continues(
        `  - name: s\n    command: "touchstone"\n    args:\n      # one\n${["wrap", "--name", "s", "--mode", "strict", "--"].map((word) => `      - "${word}"\n`).join("")}      - npx\n      - -y\n      - "x" # two\n`,
      ),
    ],
    [
      "a list between brackets",
      continues("  - name: s\n    args: [-y, x]\n    command: 'npx'\n"),
      continues(
        `  - name: s\n    args: [${WORDS}, "--", 'npx', -y, x]\n    command: "touchstone"\n`,
      ),
    ],
    [
      "no arguments",
      continues("  - command: npx # c\n    name: s\n"),
      continues(
        `  - command: "touchstone" # c\n    args: [${WORDS}, "--installed", "no-args", "--", npx]\n    name: s\n`,
      ),
    ],
    [
      "Goose's extensions",
      "GOOSE_MODEL: x\nextensions:\n  developer:\n    type: builtin\n    name: developer\n  s:\n    args:\n    - -y\n    cmd: /usr/bin/npx\n    enabled: true\n    envs: {}\n    type: stdio\n",
      `GOOSE_MODEL: x\nextensions:\n  developer:\n    type: builtin\n    name: developer\n  s:\n    args:\n${["wrap", "--name", "s", "--mode", "strict", "--"].map((word) => `    - "${word}"\n`).join("")}    - /usr/bin/npx\n    - -y\n    cmd: "touchstone"\n    enabled: true\n    envs: {}\n    type: stdio\n`,
    ],
    [
      "a mapping between braces",
      "extensions: { s: { cmd: npx, type: stdio } }\r\n",
      `extensions: { s: { cmd: "touchstone", args: [${WORDS}, "--installed", "no-args", "--", npx], type: stdio } }\r\n`,
    ],
  ])("wraps %s", (_, before, after) => {
    const made = wrapped(before, readYamlEntries);
    expect(made).toBe(after);
    expect(parse(made)).toBeTruthy();
  });

  it.each([
    ["mcpServers:\n  - name: s\n    type: sse\n    url: https://x\n", /reached by url/],
    ["extensions:\n  s:\n    cmd: npx\n    enabled: false\n", /disabled/],
    ["mcpServers:\n  - name: s\n    command: a, b\n", /put it into quotes/],
    ["mcpServers:\n  - name: s\n    command: &c npx\n", /not text/],
    ["mcpServers:\n  - name: s\n    command: |\n      npx\n", /not text/],
    ["mcpServers:\n  - name: s\n    command: npx\n    args:\n      - 5\n", /not a list of texts/],
    ["mcpServers:\n  - name: s\n    command: npx\n    args:\n", /not a list of texts/],
    [
      "a: &l [x]\nmcpServers:\n  - name: s\n    command: npx\n    args: *l\n",
      /not a list of texts/,
    ],
  ])("leaves %j unchanged", (text, why) => {
    expect(left(text, readYamlEntries)).toEqual([expect.stringMatching(why)]);
  });

  it.each(["a: b: c", "a: 1\na: 2", "---\na: 1\n---\nb: 1", "a: [", "\t- a"])(
    "refuses %j",
    (text) => {
      expect(() => readYamlEntries(text)).toThrow(/it is not YAML: .+ on line \d/);
    },
  );
});

describe("other JSON", () => {
  it.each([
    [
      "opencode's list",
      '{ "mcp": { "s": { "type": "local", "command": ["npx", "-y"], "environment": {} } } }',
      `{ "mcp": { "s": { "type": "local", "command": ["touchstone", ${WORDS}, "--", "npx", "-y"], "environment": {} } } }`,
    ],
    [
      "opencode's URL",
      '{ "mcp": { "s": { "type": "remote", "url": "https://x/m", "headers": { "A": "b" } } } }',
      `{ "mcp": { "s": { "type": "local", "command": ["touchstone", ${WORDS}, "--installed", "type=remote", "--url", "https://x/m", "--header-env", "A=TOUCHSTONE_HEADER_1"], "environment": { "TOUCHSTONE_HEADER_1": "b" } } } }`,
    ],
    [
      "Gemini CLI's URL",
      '{ "mcpServers": { "s": { "httpUrl": "https://x/m", "headers": { "A": "b" } } } }',
      `{ "mcpServers": { "s": { "command": "touchstone", "args": [${WORDS}, "--installed", "key=httpUrl", "--url", "https://x/m", "--header-env", "A=TOUCHSTONE_HEADER_1"], "env": { "TOUCHSTONE_HEADER_1": "b" } } } }`,
    ],
    [
      "mcpproxy's list",
      '{ "mcpServers": [ { "name": "s", "protocol": "http", "url": "https://x/m" }, { "name": "s", "command": "a", "args": [] } ] }',
      `{ "mcpServers": [ { "name": "s", "protocol": "stdio", "command": "touchstone", "args": [${WORDS}, "--url", "https://x/m"] }, { "name": "s", "command": "touchstone", "args": [${WORDS}, "--", "a"] } ] }`,
    ],
    [
      "Zed's servers",
      '{ "context_servers": { "s": { "source": "custom", "command": "a", "args": ["b"] } } } // end',
      `{ "context_servers": { "s": { "source": "custom", "command": "touchstone", "args": [${WORDS}, "--", "a", "b"] } } } // end`,
    ],
  ])("wraps %s", (_, before, after) => {
    expect(wrapped(before, readEntries)).toBe(after);
  });

  it("leaves a URL that the client reaches over the old transport", () => {
    const text = '{"mcpServers":{"s":{"url":"https://x/m","headers":{"A":"b"}}}}';
    const [entry] = readEntries(text);
    const change = entry && wrapEntry(text, { ...entry, bareUrl: "sse" }, HOW, true);
    expect(change).toEqual({ left: expect.stringMatching(/over "sse"/) });
  });
});

/** Single-line texts, with the quotes that a format allows for them. */
const word = fc.oneof(
  fc.string({ maxLength: 6 }).filter((text) => !/[\p{Cc}\u2028\u2029\ud800-\udfff]/u.test(text)),
  fc.constantFrom("-y", "--", "wrap", "a\\b", "é", "#", "a'b", "x, y", "[", "{}", ": ", "npx"),
);
const quotedWord = fc
  .tuple(word, fc.boolean())
  .map(([text, single]) => (single && !text.includes("'") ? `'${text}'` : JSON.stringify(text)));
const eol = fc.constantFrom("\n", "\r\n");
const comment = fc.constantFrom("", " # c", '  # a "b" [c]');
const bracketed = (items: readonly string[], gap: string, trail: string): string =>
  items.length === 0 ? `[${trail}]` : `[${gap}${items.join(`,${gap || " "}`)}${trail}]`;

describe("install and then uninstall", () => {
  it("restores any TOML file byte for byte", () => {
    const list = fc
      .tuple(
        fc.array(quotedWord, { maxLength: 4 }),
        fc.constantFrom("", " ", "\n  ", "\n # x\n\t"),
        fc.constantFrom("", " ", "\n"),
      )
      .map(([items, gap, trail]) => bracketed(items, gap, trail));
    const table = fc
      .tuple(
        quotedWord,
        fc.option(list),
        comment,
        comment,
        fc.boolean(),
        fc.constantFrom("", "  ", "\t"),
        eol,
      )
      .map(([command, args, c1, c2, first, indent, line]) => {
        const lines = [
          `command = ${command}${c1}`,
          ...(args === null ? [] : [`args=${args}${c2}`]),
        ];
        const own = (first ? lines : lines.reverse()).map((each) => indent + each).join(line);
        return `[mcp_servers.s]${c2}${line}${own}`;
      });
    fc.assert(
      fc.property(table, eol, fc.boolean(), (text, line, ends) => {
        const before = `a = 1${line}${text}${ends ? `${line}[x]${line}` : ""}`;
        const after = rewritten(before, readTomlEntries, wrapEntry);
        expect(rewritten(after, readTomlEntries, unwrapEntry)).toBe(before);
        expect(rewritten(after, readTomlEntries, wrapEntry)).toBe(after);
        expect(after).not.toBe(before);
      }),
      { numRuns: sample(125, 500) },
    );
  });

  it("restores any YAML file byte for byte, and the wrapped file parses as intended", () => {
    const scalar = fc.oneof(
      quotedWord.filter((text) => !text.startsWith("'") || true),
      fc.constantFrom("npx", "-y", "/a/b", "x.y"),
    );
    const flow = fc
      .tuple(fc.array(scalar, { maxLength: 3 }), fc.constantFrom("", " "))
      .map(([items, gap]) => ` ${bracketed(items, gap, gap)}`);
    const block = (indent: string, line: string) =>
      fc
        .array(fc.tuple(scalar, comment), { minLength: 1, maxLength: 3 })
        .map((items) => items.map(([item, c]) => `${line}${indent}- ${item}${c}`).join(""));
    const file = fc
      .tuple(
        fc.constantFrom("npx", "'n p'", '"x"'),
        comment,
        eol,
        fc.constantFrom("    ", "      "),
        fc.boolean(),
      )
      .chain(([command, c, line, indent, isFirst]) =>
        fc.option(fc.oneof(flow, block(indent, line))).map((args) => {
          const lines = [`command: ${command}${c}`, ...(args === null ? [] : [`args:${args}`])];
          const own = (isFirst ? lines : lines.reverse()).join(`${line}    `);
          return `# top${line}mcpServers:${line}  - name: s${line}    ${own}${line}other: 1`;
        }),
      );
    fc.assert(
      fc.property(file, (before) => {
        const after = rewritten(before, readYamlEntries, wrapEntry);
        expect(rewritten(after, readYamlEntries, unwrapEntry)).toBe(before);
        const [old] = parse(before).mcpServers;
        const [now] = parse(after).mcpServers;
        expect(now).toEqual({
          ...old,
          command: "touchstone",
          args: expect.arrayContaining(["wrap", "--name", "s", "--", old.command]),
        });
        expect(now.args.slice(now.args.indexOf("--", 5) + 1)).toEqual([
          old.command,
          ...(old.args ?? []),
        ]);
      }),
      { numRuns: sample(125, 500) },
    );
  });
});
