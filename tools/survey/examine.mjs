// Examines one server: its tools, its results, and which clients and providers would refuse the list.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileDeclared, isSchemaRule } from "@touchstone/core/advanced";
import { openActivityReader } from "@touchstone/gateway/activity";
import { lintFor, lintTools, PROVIDERS } from "@touchstone/protocol/lint";
import { randomFrom, sampleInstance } from "../../packages/protocol/build/inclusion/sample.js";
import { Client } from "./client.mjs";
import { folderOf } from "./install.mjs";
import { offline } from "./offline.mjs";

const TOUCHSTONE = fileURLToPath(new URL("../../packages/cli/bin/touchstone.js", import.meta.url));
/** Values for each read-only tool. */
const CALLS = 2;
const TRIES = 200;
const HONEST = { undeclared: { treat: "violation", deep: true } };

/** Returns the words that start an installed server. */
export function wordsOf(root, server, scratch) {
  const { registry, name, bin, args = [] } = server;
  const filled = args.map((word) => word.replace("{folder}", scratch));
  const folder = folderOf(root, server);
  if (registry === "pypi") return [join(folder, "venv", "bin", bin ?? name), ...filled];
  const own = JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8"));
  const names = typeof own.bin === "string" ? [] : Object.keys(own.bin ?? {});
  const short = name.replace(/^@[^/]*\//, "");
  const chosen = bin ?? (names.includes(short) ? short : (names[0] ?? short));
  return [join(folder, "node_modules", ".bin", chosen), ...filled];
}

/** Returns values that a schema accepts, without undeclared members; fewer than `count` if they are hard to find. */
export function valuesFor(schema, count) {
  const compiled = compileDeclared({ value: schema });
  if (compiled.error !== undefined) return [];
  const random = randomFrom(1);
  const found = new Map();
  for (let left = TRIES; left > 0 && found.size < count; left -= 1) {
    const { value } = sampleInstance(schema, random);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    if (!isObject || compiled.validate(value, HONEST).outcome !== "pass") continue;
    found.set(JSON.stringify(value), value);
  }
  return [...found.values()];
}

/**
 * Starts a server behind `touchstone wrap`, lists its tools, calls those that say that they only read, and checks all
 * of it. What a result lacks is in the records of that wrap.
 * @param words the server's command
 * @param seconds how long all of it may take
 * @param stop ends it early
 * @returns the facts of one row, or `failed` with the reason
 */
export async function examine(words, env, seconds, stop = new AbortController().signal) {
  stop.throwIfAborted();
  const scratch = mkdtempSync(join(tmpdir(), "survey-"));
  const dataDir = join(scratch, "data");
  const wrap = [TOUCHSTONE, "wrap", "--preset", "observe", "--name", "surveyed"];
  const options = ["--data-dir", dataDir, "--config", join(scratch, "none.json")];
  mkdirSync(dataDir);
  writeFileSync(join(scratch, "none.json"), "{}");
  const limit = new AbortController();
  const late = setTimeout(() => limit.abort(new Error("no response in time")), seconds * 1000);
  const stopped = () => limit.abort(new Error("stopped"));
  stop.addEventListener("abort", stopped);
  const server = offline(words, { HOME: scratch, TMPDIR: scratch, ...env });
  const client = new Client([process.execPath, ...wrap, ...options, "--", ...server], {
    env: { ...process.env, HOME: scratch },
    // Some servers write logs into the folder in which they start.
    cwd: scratch,
    signal: limit.signal,
  });
  try {
    await client.start();
    const tools = await client.tools();
    const called = await callAll(client, tools, limit.signal);
    await client.end();
    return { ...checked(tools), ...called, violations: await violationsIn(dataDir) };
  } catch (error) {
    return { failed: String(error?.message ?? error).slice(0, 200) };
  } finally {
    clearTimeout(late);
    stop.removeEventListener("abort", stopped);
    await client.end();
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function callAll(client, tools, limit) {
  const readOnly = tools.filter(({ annotations }) => annotations?.readOnlyHint === true);
  let [calls, errors] = [0, 0];
  const uncalled = new Set(readOnly.map(({ name }) => name));
  for (const { name, inputSchema } of readOnly) {
    for (const value of valuesFor(inputSchema, CALLS)) {
      if (limit.aborted || client.failed !== undefined) break;
      const response = await client
        .request("tools/call", { name, arguments: value })
        .catch(() => {});
      if (response === undefined) break;
      calls += 1;
      uncalled.delete(name);
      if (response.error !== undefined || response.result?.isError === true) errors += 1;
    }
  }
  return { readOnly: readOnly.length, uncalled: uncalled.size, calls, errors };
}

/** Returns the findings of `check` by rule and severity, and who would refuse the list. */
function checked(tools) {
  const found = lintTools(tools, { version: "2025-11-25" });
  const rules = new Map();
  for (const { rule, severity } of found) {
    const key = `${severity} ${rule}`;
    rules.set(key, (rules.get(key) ?? 0) + 1);
  }
  const refused = lintFor(tools, PROVIDERS).filter(({ severity }) => severity === "error");
  return {
    tools: tools.length,
    outputs: tools.filter(({ outputSchema }) => outputSchema !== undefined).length,
    // Tools that declare some arguments and accept any others.
    open: tools.filter(
      ({ inputSchema }) => compileDeclared({ value: inputSchema }).openness === "open",
    ).length,
    rules: Object.fromEntries(rules),
    refusedBy: PROVIDERS.filter((name) => refused.some(({ provider }) => provider === name)),
  };
}

/** Returns how many results were a violation of their tool's schema. */
async function violationsIn(dataDir) {
  const reader = await openActivityReader({ dataDir });
  if (reader === undefined) return 0;
  const { activities } = await reader.list({ types: ["policy_decision"], limit: 1000, offset: 0 });
  await reader.close();
  const results = activities.filter(
    ({ direction, issues }) =>
      direction === "output" && issues.some(({ rule }) => isSchemaRule(rule)),
  );
  return new Set(results.map(({ request_id, id }) => request_id ?? id)).size;
}
