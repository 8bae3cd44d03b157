import { EventEmitter } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { PassThrough, Readable } from "node:stream";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { createProgram, run } from "./program.ts";

async function outcome(args: readonly string[]) {
  const said = { out: "", err: "", code: 0 };
  await run(args, {
    stdin: Readable.from([]),
    stdout: { write: (text) => (said.out += text) },
    stdoutStream: new PassThrough(),
    stderr: { write: (text) => (said.err += text) },
    env: {},
    now: () => new Date(),
    signals: new EventEmitter(),
    exit: (code) => {
      said.code = code;
    },
  });
  return said;
}

it.each([
  [["--colour"], "touchstone"],
  [["checks"], "touchstone"],
  [["check", "--format", "xml", "a"], "touchstone check"],
  [["validate", "a.json"], "touchstone validate"],
  [["activity", "list", "--colour"], "touchstone activity list"],
  [["activity", "lists"], "touchstone activity"],
  [["config", "import"], "touchstone config import"],
])("for %j points to %s --help", async (args, words) => {
  const { err, code } = await outcome(args);
  expect(code).toBe(2);
  expect(err.trimEnd().split("\n").at(-1)).toBe(`(${words} --help shows how it is used)`);
  const help = await outcome([...words.split(" ").slice(1), "--help"]);
  expect([help.code, help.out]).toEqual([0, expect.stringContaining(`Usage: ${words} `)]);
});

it.each([
  [["--config", "x", "serve"], "--config"],
  [["--format=json", "check", "a"], "--format=json"],
])("for %j says that options of a command go after it", async (args, flag) => {
  const { err, code } = await outcome(args);
  const wanted = `error: unknown option '${flag}': options of a command go after it\n`;
  expect([code, err]).toEqual([2, expect.stringContaining(wanted)]);
});

describe("every command", () => {
  const io = { env: {}, stdout: {}, stderr: {}, signals: new EventEmitter() };
  const below = (command: Command): Command[] => [command, ...command.commands.flatMap(below)];
  const all = below(createProgram(io as never, [])).slice(1);
  const leaves = all.filter(({ commands }) => commands.length === 0);
  const wordsOf = (command: Command): string[] =>
    command.parent === null ? [] : [...wordsOf(command.parent), command.name()];

  it.each(all.map(wordsOf))("%s %s --help shows examples and exit statuses", async (...words) => {
    const { out, code } = await outcome([...words.filter(Boolean), "--help"]);
    expect(code).toBe(0);
    expect(out).toMatch(
      new RegExp(`\\nExamples:\\n(  \\$ .*\\n)*  \\$ .*touchstone ${words.join(" ")}`),
    );
    expect(out).toMatch(/\nExit status: /);
  });

  it.each(all.map(wordsOf))(
    "%s %s --help has the common layout, in 80 columns",
    async (...words) => {
      const { out } = await outcome([...words.filter(Boolean), "--help"]);
      const [first = "", blank, usage = ""] = out.split("\n");
      expect(first).toMatch(/^[A-Z].{3,78}\.$/);
      expect([blank, usage]).toEqual(["", expect.stringMatching(/^Usage: touchstone /)]);
      const parts = out.trimEnd().split("\n\n");
      const headings = parts.map((part) => /^([A-Z][^\n]*):(?:\n|$)/.exec(part)?.[1]);
      const at = (heading: string): number => headings.indexOf(heading);
      // The examples follow the usage directly, and the exit status comes last.
      expect(at("Examples")).toBe(2);
      expect(parts.at(-1)).toMatch(/^Exit status: /);
      expect(headings.filter((heading) => heading !== undefined)).toEqual([
        ...new Set(headings.filter((heading) => heading !== undefined)),
      ]);
      // Each option is listed once, and only example commands may exceed a line.
      const flags = [...out.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, flag]) => flag);
      expect(flags).toEqual([...new Set(flags)]);
      const long = out.split("\n").filter((line) => line.length > 80 && !/^ {2}["$]/.test(line));
      expect(long).toEqual([]);
    },
  );

  // A command that only undoes another one is registered in the same module.
  const UNDOES: Readonly<Record<string, string>> = { uninstall: "install", resume: "pause" };
  it.each(all.filter(({ parent }) => parent?.parent === null).map((command) => command.name()))(
    "has a folder: %s",
    (name) => {
      const folder = UNDOES[name] ?? name;
      expect(existsSync(new URL(`${folder}/register.ts`, import.meta.url))).toBe(true);
    },
  );

  it("is on docs/reference/commands.md as --help prints it (else run `npm run docs:reference`)", async () => {
    const page = readFileSync(
      new URL("../../../docs/reference/commands.md", import.meta.url),
      "utf8",
    );
    const sections = await Promise.all(
      [[], ...all.map(wordsOf)].map(async (words) => {
        const { out } = await outcome([...words, "--help"]);
        const title = ["touchstone", ...words].join(" ");
        return `## ${title}\n\n<!-- generated: ${title} --help -->\n\`\`\`text\n${out.trimEnd()}\n\`\`\`\n`;
      }),
    );
    expect(page.split(/\n(?=## )/).slice(1)).toEqual(sections);
  });

  it("lists the check options under wrap --help, and the other commands refer to it", async () => {
    const { out: wrap } = await outcome(["wrap", "--help"]);
    expect(wrap).toContain("\nChecks:\n");
    for (const command of ["serve", "doctor", "replay"]) {
      const { out } = await outcome([command, "--help"]);
      expect(out).not.toContain("--on-unknown-schema");
      expect(out).toContain("All options for checks that touchstone wrap --help lists");
    }
  });

  // The demo reads neither a configuration nor records of the user.
  const OWN = ["demo"];
  const withAll = leaves.filter((command) => !OWN.includes(command.name()));
  it.each(withAll.map(wordsOf))("%s %s accepts the common options", async (...words) => {
    const { out } = await outcome([...words.filter(Boolean), "--help"]);
    for (const option of ["--config", "--data-dir", "--log-level"]) expect(out).toContain(option);
  });

  const withFormats = leaves.filter(({ options }) =>
    options.some(({ long }) => long === "--output"),
  );
  it.each(withFormats.map(wordsOf))(
    "%s %s has -o for its format, and hides the older -f",
    async (...words) => {
      const typed = words.filter(Boolean);
      const { out: help } = await outcome([...typed, "--help"]);
      expect(help).toMatch(/^ {2}-o, --output <format> +output format/m);
      expect(help).not.toMatch(/-f, --format/);
      for (const flag of ["-o", "-f"]) {
        const { err, code } = await outcome([...typed, flag, "none"]);
        const formats = /Allowed choices are ([a-z, ]+)\./.exec(err)?.[1]?.split(", ") ?? [];
        expect([code, formats.length > 1]).toEqual([2, true]);
        for (const format of formats) expect(help).toMatch(new RegExp(`[( ]${format}[,;)]`));
        const two = await outcome([...typed, "-o", formats[0] ?? "", "-f", formats[1] ?? ""]);
        expect(two.err).toContain("--output and --format name different formats");
      }
    },
  );
  it("covers more than fifteen commands that have an output format", () => {
    expect(withFormats.length).toBeGreaterThan(15);
  });
});

it.each([
  [["help", "valid"], /^error: unknown command 'valid'\n\(Did you mean validate\?\)/],
  [["help", "activity", "lisst"], /^error: unknown command 'lisst'\n\(Did you mean list\?\)/],
  [["activity", "help", "lisst"], /^error: unknown command 'lisst'\n\(Did you mean list\?\)/],
  [["help", "--colour"], /^error: unknown option '--colour'/],
])("%j reports the unknown word", async (args, wanted) => {
  const { out, err, code } = await outcome(args);
  expect([code, out, err]).toEqual([2, "", expect.stringMatching(wanted)]);
});

it.each([
  [["help"], "touchstone [options] [command]"],
  [["help", "validate"], "touchstone validate "],
  [["help", "activity"], "touchstone activity "],
  [["help", "activity", "list"], "touchstone activity list "],
  [["activity", "help", "list"], "touchstone activity list "],
  [["help", "validate", "more"], "touchstone validate "],
])("%j prints usage", async (args, words) => {
  const { out, err, code } = await outcome(args);
  expect([code, err, out]).toEqual([0, "", expect.stringContaining(`Usage: ${words}`)]);
});

it.each(["check", "lint", "call"])(
  "%s without an argument names the missing one",
  async (command) => {
    const { err, code } = await outcome([
      command,
      ...(command === "lint" ? ["--for", "vscode"] : []),
    ]);
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/missing required argument 'server (?:or|and)/),
    ]);
  },
);

it.each([
  [],
  ...["wrap", "serve", "validate", "config", "doctor", "call", "check", "lint", "replay"].map(own),
  ...["install", "uninstall", "audit", "activity", "activity list", "config import"].map(own),
])("fits the options in the help of %j into 80 columns", async (...words) => {
  const { out } = await outcome([...words, "--help"]);
  const options = out.split("\n").filter((line) => /^ {2}-| {20}/.test(line));
  expect(options.filter((line) => line.length > 80)).toEqual([]);
  expect(options.join("\n")).not.toContain("{}");
  expect(options.join("\n")).toContain("--help");
});

function own(words: string): string[] {
  return words.split(" ");
}

it.each([
  ["call", "--timeout", "86401", "x", "{}"],
  ["check", "--timeout", "9999999999", "x.json"],
  ["lint", "--for", "openai", "--timeout", "0", "x.json"],
  ["doctor", "--timeout", "1.5"],
])("%s %s %s %s: refuses a timeout out of range", async (...args) => {
  const { err, code } = await outcome(args);
  expect(code).toBe(2);
  expect(err).toContain("It must be a whole number of seconds from 1 to 86400.");
});

it.each(["", " "])("wrap refuses an invisible name: %j", async (name) => {
  const { err, code } = await outcome(["wrap", "--name", name, "--", "cat"]);
  expect([code, err]).toEqual([2, expect.stringContaining("It must not be empty.")]);
});

const HOSTILE = "\u001b[31m\u202e";

it.each([
  [[`--${HOSTILE}`], 2],
  [[HOSTILE], 2],
  [["validate", "-s", "x", "-f", HOSTILE, "y"], 2],
  [["config", "check", "--config", HOSTILE], 2],
  [["replay", HOSTILE], 3],
  [["wrap", "--data-dir", `/dev/null/${HOSTILE}`, "--", "true"], 3],
  [["activity", "list", "--data-dir", `/nonexistent/${HOSTILE}`], 0],
])("escapes hostile words in errors: %j", async (args, wanted) => {
  const { out, err, code } = await outcome(args);
  expect(err).toContain("\\u{1b}[31m\\u{202e}");
  expect(out + err).not.toContain("\u001b");
  expect(out + err).not.toContain("\u202e");
  expect(code).toBe(wanted);
});
