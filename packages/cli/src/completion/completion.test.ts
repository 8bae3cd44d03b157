import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createProgram } from "../program.ts";
import { outcomeOf, tempDir } from "../testing/touchstone.ts";
import { commandsOf } from "./definitions.ts";
import { completionScript, type Shell } from "./register.ts";

const io = { env: {}, stdout: {}, stderr: {} };
const program = createProgram(io as never, []);
const all = commandsOf(program);

function isInstalled(shell: string): boolean {
  try {
    execFileSync(shell, ["-c", "exit 0"]);
    return true;
  } catch {
    if (process.env["REQUIRE_ALL"] !== undefined) throw new Error(`${shell} is not installed`);
    return false;
  }
}

async function scriptFile(shell: Shell): Promise<string> {
  const file = join(tempDir(), `touchstone.${shell}`);
  writeFileSync(file, await completionScript(shell, program));
  return file;
}

it("prints the script of each shell, and refuses an unknown shell", async () => {
  for (const shell of ["bash", "zsh", "fish", "powershell"] as const) {
    const out = await completionScript(shell, program);
    expect(await outcomeOf(["completion", shell])).toEqual({ code: 0, out, err: "" });
  }
  const { code, err } = await outcomeOf(["completion", "tcsh"]);
  expect(code).toBe(2);
  expect(err).toContain("Allowed choices are bash, zsh, fish, powershell");
});

it("defines every command and option that is not hidden", () => {
  const paths = all.map(({ path }) => path);
  expect(paths).toEqual(expect.arrayContaining(["", "wrap", "activity list", "config import"]));
  const list = all.find(({ path }) => path === "activity list");
  const flags = list?.options.flatMap((option) => option.flags) ?? [];
  expect(flags).toEqual(expect.arrayContaining(["-o", "--output", "--limit", "--help"]));
  expect(flags).not.toContain("--format");
});

/** A shell in a terminal with the script loaded, in which `touchstone` prints its arguments. */
async function interactive(shell: "bash" | "zsh" | "fish", cwd: string) {
  const bin = tempDir();
  const started = join(bin, "started");
  // Pressing Tab must not start a process.
  writeFileSync(join(bin, "node"), `#!/bin/sh\ntouch ${started}\n`);
  chmodSync(join(bin, "node"), 0o755);
  const command = {
    bash: "bash --norc --noprofile -i",
    zsh: "zsh -f -i",
    fish: "fish --no-config -i",
  }[shell];
  const file = await scriptFile(shell);
  const init = {
    bash: `PS1='PRO''MPT> '; source ${file}; touchstone() { echo "GOT""[$*]"; }`,
    zsh: `PS1='PRO''MPT> '; autoload -Uz compinit; compinit -u -D; source ${file}; touchstone() { print -r -- "GOT""[$*]" }`,
    fish: `source ${file}; function touchstone; echo "GOT""[$argv]"; end; function fish_prompt; echo 'PRO''MPT> '; end`,
  }[shell];
  const env = { ...process.env, TERM: "xterm", PATH: `${bin}:${process.env["PATH"]}`, PS1: "> " };
  const child = spawn("script", ["-qec", command, "/dev/null"], { cwd, env });
  const ended = once(child, "close");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
  });
  const after = async (at: number, wanted: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const match = wanted.exec(text.slice(at));
      if (match !== null) return match;
      await once(child.stdout, "data");
    }
  };
  child.stdin.write(`${init}\n`);
  await after(0, /PROMPT> /);
  return {
    started: () => existsSync(started),
    /** Types keys and Enter; returns the words that the command received. */
    async typed(keys: string): Promise<string> {
      const at = text.length;
      child.stdin.write(`${keys}\n`);
      const [, words = ""] = await after(at, /GOT\[(.*)\][\s\S]*PROMPT> /);
      return words;
    },
  };
}

const TYPED: readonly (readonly [string, string])[] = [
  ["touchstone act\tli\t", "activity list"],
  ["touchstone activity export -o e\t", "activity export -o ecs"],
  ["touchstone activity export --output=c\t", "activity export --output=csv"],
  ["touchstone activity list --config x --lim\t", "activity list --config x --limit"],
  ["touchstone comp\tba\t", "completion bash"],
  ["touchstone wrap --mode str\t", "wrap --mode strict"],
  ["touchstone check uniq\t", "check unique-file.json"],
  ["touchstone check --config uniq\t", "check --config unique-file.json"],
  ["touchstone check --data-dir onlyd\t", "check --data-dir onlydir"],
  ["touchstone call --servers act\tx", "call --servers actx"],
];

describe.each(["bash", "zsh", "fish"] as const)("completion in %s", (shell) => {
  it.runIf(isInstalled(shell))("completes words without starting a server", async () => {
    const cwd = tempDir();
    writeFileSync(join(cwd, "unique-file.json"), "");
    mkdirSync(join(cwd, "onlydir"));
    const { typed, started } = await interactive(shell, cwd);
    for (const [keys, words] of TYPED) {
      // On Enter, zsh removes the slash of a completed directory.
      expect([keys, (await typed(keys)).trim().replace(/\/$/, "")]).toEqual([keys, words]);
    }
    expect(started()).toBe(false);
  });
});

it.runIf(isInstalled("bash"))("bash completes every command, flag and value", async () => {
  const asked = all.flatMap(({ path: words, options }) => {
    const path = words.split(" ").filter((word) => word !== "");
    return [
      [[...path, "-"], options.flatMap(({ flags }) => flags)] as const,
      ...options.flatMap(({ flags, value }) =>
        value?.kind === "words"
          ? flags.map((flag) => [[...path, flag, ""], value.words] as const)
          : [],
      ),
    ];
  });
  const lines = asked.map(([words]) => {
    const typed = ["touchstone", ...words].map((word) => `'${word}'`).join(" ");
    return `COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _touchstone; echo "\${COMPREPLY[*]}"`;
  });
  const script = `source ${await scriptFile("bash")}\n${lines.join("\n")}`;
  const out = execFileSync("bash", ["--norc"], { input: script, encoding: "utf8" });
  expect(
    out
      .trimEnd()
      .split("\n")
      .map((line) => line.split(" ")),
  ).toEqual(asked.map(([, words]) => words));
});

it.runIf(isInstalled("fish"))("fish completes every command, with its description", async () => {
  const groups = all.filter(({ words }) => words.length > 0);
  const lines = groups.map(({ path }) => `complete -C '${`touchstone ${path}`.trim()} '`);
  const script = `source ${await scriptFile("fish")}\n${lines.join("\n")}`;
  const out = execFileSync("fish", ["--no-config", "-c", script], { encoding: "utf8" });
  for (const { word, description } of groups.flatMap(({ words }) => words)) {
    expect(out).toContain(description === "" ? word : `${word}\t${description}`);
  }
});

it("the PowerShell script has balanced brackets and quotes, and every command", async () => {
  const script = await completionScript("powershell", program);
  const code = script.replaceAll(/'(?:[^']|'')*'|"(?:[^"`]|`.)*"/g, "S").replaceAll(/#.*$/gm, "");
  expect(code).not.toMatch(/['"]/);
  const open: string[] = [];
  for (const character of code) {
    if ("({[".includes(character)) open.push(character);
    if (")}]".includes(character))
      expect(open.pop()).toBe({ ")": "(", "}": "{", "]": "[" }[character]);
  }
  expect(open).toEqual([]);
  for (const { path } of all) expect(script).toContain(`'${path}' = @{`);
});
