import { EventEmitter } from "node:events";
import { PassThrough, Readable } from "node:stream";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import type { ProcessIo } from "../io/process-io.ts";
import { createProgram, run } from "../program.ts";

const said = { out: "", err: "", code: 0 };
const io: ProcessIo = {
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
};

async function outcome(args: readonly string[]) {
  Object.assign(said, { out: "", err: "", code: 0 });
  await run(args, io);
  return { ...said };
}

function below(command: Command, words: readonly string[]): [Command, readonly string[]][] {
  return [
    [command, words],
    ...command.commands.flatMap((one) => below(one, [...words, one.name()])),
  ];
}

const COMMANDS = below(createProgram(io, []), []);
const LISTS = new Set([
  ...["type", "direction", "decision", "status", "outcome", "for", "state"],
  "tools",
]);
const MANY = new Set([
  "allow",
  "argument",
  "header",
  "headerEnv",
  "document",
  "exact",
  "require",
  "report",
  "rule",
]);

/** Each option that takes a value, as `[words, flag, value]`. */
function valued(wanted: (name: string, words: readonly string[]) => boolean) {
  return COMMANDS.flatMap(([command, words]) =>
    command.options
      .filter((option) => option.required && wanted(option.attributeName(), words))
      .map(({ long, short, argChoices }) => {
        const value = argChoices?.[0] ?? (words[0] === "pause" ? "30m" : "1");
        return [words, long ?? short ?? "", value];
      }),
  ) as [readonly string[], string, string][];
}

const isList = (name: string, words: readonly string[]): boolean =>
  (LISTS.has(name) && words[0] !== "pause") ||
  (name === "failOn" && words.join(" ") === "activity list");

it.each(valued(() => true))("refuses -- as the value of an option: %j %s", async (words, flag) => {
  const { err, code, out } = await outcome([...words, flag, "--", "x"]);
  expect([code, out, err]).toEqual([2, "", expect.stringMatching(/^error: option '.*' .*; -- /)]);
});

describe("an option given twice", () => {
  it.each(valued((name, words) => !isList(name, words) && !MANY.has(name)))(
    "is refused if it takes one value: %j %s",
    async (words, flag, value) => {
      const { err, code, out } = await outcome([...words, flag, value, flag, value]);
      const text = new RegExp(`^error: option '.*${flag} <.*>' is given twice; give it once\\n`);
      expect([code, out, err]).toEqual([2, "", expect.stringMatching(text)]);
    },
  );

  it("is refused in its short form too, without showing its values", async () => {
    const args = ["--store", "postgresql://u:secret@h/d", "--store", "postgresql://u:secret@h/e"];
    for (const given of [args, ["-s", "secret", "--server", "secret"]]) {
      const { err, code } = await outcome(["activity", "list", ...given]);
      expect([code, err]).toEqual([2, expect.stringContaining("is given twice")]);
      expect(err).not.toContain("secret");
    }
  });

  it.each(valued(isList))("adds to the list if it takes one: %j %s", (words, flag) => {
    const command = COMMANDS.find(([, own]) => own === words)?.[0];
    const option = command?.options.find(({ long }) => long === flag);
    const [one, other, third] =
      flag === "--for" ? ["openai", "gemini-openapi", "vscode"] : ["a", "b", "c"];
    const joined = [one, other, third].map((value) => `${value}`);
    const read = (text: string, before: unknown): unknown =>
      option?.parseArg?.(text, before as never);
    const twice = read(`${other}`, read(`${one},${third}`, undefined));
    const values = typeof twice === "string" ? twice.split(",") : twice;
    expect([...(values as string[])].sort()).toEqual([...joined].sort());
  });

  it.each(valued(isList))("is refused if a list option is empty: %j %s", async (words, flag) => {
    const { err, code } = await outcome([...words, flag, ""]);
    expect([code, err]).toEqual([2, expect.stringContaining(`${flag} <`)]);
  });
});
