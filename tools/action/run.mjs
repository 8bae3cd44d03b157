// A step of action.yml: runs check, lint, lock --check and verify on one server, and writes their reports. All of its settings
// come from the environment. It exits with 0, so that the reports are kept; the status is an output.
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const { env } = process;
const given = (name) => (env[`INPUT_${name}`] ?? "").trim();
const folder = join(env.RUNNER_TEMP ?? "", "touchstone-reports");
const program = join(env.RUNNER_TEMP ?? "", "touchstone/node_modules/touchstone/bin/touchstone.js");

/** Returns the words of a command: quoted text is one word, and a backslash takes the next character literally. */
export function wordsOf(command) {
  const words = [];
  for (const [word] of command.matchAll(
    /(?:[^\s"'\\]|\\[\s\S]|"(?:[^"\\]|\\[\s\S])*"|'[^']*')+/g,
  )) {
    const plain = word.replaceAll(
      /\\([\s\S])|"((?:[^"\\]|\\[\s\S])*)"|'([^']*)'/g,
      (_, escaped, double, single) =>
        escaped ?? double?.replaceAll(/\\([\s\S])/g, "$1") ?? single ?? "",
    );
    words.push(plain);
  }
  return words;
}

/** Returns the options and words that specify the server for the commands. */
function target() {
  const [command, url, config, server] = ["COMMAND", "URL", "CONFIG", "SERVER"].map(given);
  if ([command, url, config].filter(Boolean).length !== 1) {
    throw new Error("set one of the inputs command, url and config");
  }
  if (config && !server)
    throw new Error("with config, name one of its servers: set the input server");
  if (command) return { options: [], words: ["--", ...wordsOf(command)] };
  if (config) return { options: [configOption(config), config], words: [server] };
  const headers = given("HEADER_ENV").split("\n").filter(Boolean);
  return { options: headers.flatMap((header) => ["--header-env", header.trim()]), words: [url] };
}

/**
 * Returns the option for a configuration file: a name that no client uses for its own file is taken for a file of
 * Touchstone.
 */
function configOption(file) {
  return /(?:^|[/\\])(?:\.?mcp|claude_desktop_config|settings)\.json$/.test(file)
    ? "--servers"
    : "--config";
}

const notice = (text, level = "notice") =>
  console.log(`::${level}::${text.replaceAll("\n", "%0A")}`);

/** Merges the findings of several logs into one log with one run, since code scanning accepts one per category. */
function merged(logs) {
  const rules = [];
  const results = [];
  let first;
  let isWhole = true;
  for (const { runs, ...log } of logs) {
    for (const run of runs) {
      first ??= { ...log, runs: [run] };
      isWhole &&= run.invocations?.every(({ executionSuccessful: is }) => is) ?? true;
      for (const rule of run.tool.driver.rules ?? []) {
        if (!rules.some(({ id }) => id === rule.id)) rules.push(rule);
      }
      for (const result of run.results) {
        const ruleIndex = rules.findIndex(({ id }) => id === result.ruleId);
        results.push({ ...result, ruleIndex });
      }
    }
  }
  const [run] = first.runs;
  const driver = { ...run.tool.driver, rules };
  const invocations = isWhole ? {} : { invocations: [{ executionSuccessful: false }] };
  const { invocations: _, ...rest } = run;
  return { ...first, runs: [{ ...rest, ...invocations, tool: { driver }, results }] };
}

/** Returns the options for changes that may pass. */
function allowances() {
  const names = given("ALLOW")
    .split(/[,\s]+/)
    .filter(Boolean);
  return names.flatMap((name) => (name === "unproven" ? ["--allow-unproven"] : ["--allow", name]));
}

function run() {
  const { options, words } = target();
  const lock = given("LOCK") || "touchstone.lock";
  const commands = [["check", "--fail-on", "error"]];
  if (given("FOR")) commands.push(["lint", "--fail-on", "error", "--for", given("FOR")]);
  if (existsSync(lock)) {
    const failing = ["--fail-on", given("FAIL_ON") || "breaking", ...allowances()];
    commands.push(["lock", "--check", "--lock", lock, ...failing]);
  } else if (lock === "touchstone.lock") {
    notice("There is no touchstone.lock. Write it with touchstone lock and commit it.");
  } else throw new Error(`there is no ${lock}`);
  const captures = given("VERIFY").split("\n").filter(Boolean);
  for (const capture of captures) commands.push(["verify", capture.trim()]);
  mkdirSync(folder, { recursive: true });
  const logs = [];
  const pages = [];
  let status = 0;
  for (const [at, [name, ...flags]] of commands.entries()) {
    const [sarif, page] = ["sarif", "md"].map((ending) => join(folder, `${at}-${name}.${ending}`));
    const reports = ["--report", `sarif=${sarif}`, "--report", `markdown=${page}`];
    console.log(`::group::touchstone ${name}`);
    // The runner must not interpret the server's output as commands.
    const token = randomUUID();
    console.log(`::stop-commands::${token}`);
    const args = [program, name, ...flags, ...reports, ...options, ...words];
    const ended = spawnSync(process.execPath, args, { stdio: "inherit" });
    console.log(`\n::${token}::\n::endgroup::`);
    const code = ended.status ?? 3;
    status = Math.max(status, code);
    if (code > 0) notice(`touchstone ${name} ended with ${code}`, "error");
    if (existsSync(sarif)) logs.push(JSON.parse(readFileSync(sarif, "utf8")));
    const text = existsSync(page)
      ? readFileSync(page, "utf8")
      : `It ended with ${code}; the log of the job says why.\n`;
    pages.push(`## touchstone ${name}\n\n${text}`);
  }
  const report = join(folder, "report.md");
  writeFileSync(report, pages.join("\n"));
  const outputs = { status, folder, report };
  if (logs.length > 0) {
    outputs.sarif = join(folder, "touchstone.sarif");
    writeFileSync(outputs.sarif, JSON.stringify(merged(logs), null, 2));
  }
  return outputs;
}

const [major] = process.versions.node.split(".");
try {
  if (Number(major) < 20)
    throw new Error(`Node 20 or later is needed, and this is ${process.version}`);
  const isMockOnly = given("MOCK") !== "" && !["COMMAND", "URL", "CONFIG"].some(given);
  const outputs = isMockOnly ? { status: 0 } : run();
  if (!isMockOnly) appendFileSync(env.GITHUB_STEP_SUMMARY, readFileSync(outputs.report));
  for (const [name, value] of Object.entries(outputs)) {
    appendFileSync(env.GITHUB_OUTPUT, `${name}=${value}\n`);
  }
} catch (error) {
  notice(`Touchstone cannot check the server: ${error.message}`, "error");
  appendFileSync(env.GITHUB_OUTPUT, "status=2\n");
}
