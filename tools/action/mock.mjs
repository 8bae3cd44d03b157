// A step of action.yml: starts touchstone mock in the background, for the steps of the job that follow, and writes its URL.
// All of its settings come from the environment. Without a file, it does nothing.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

const { env } = process;
const given = (name) => (env[`INPUT_${name}`] ?? "").trim();
const LISTENING = /listening at (\S+)\n/;
const LOOK_MS = 50;

async function start() {
  const log = join(env.RUNNER_TEMP ?? "", "touchstone-mock.log");
  const program = join(
    env.RUNNER_TEMP ?? "",
    "touchstone/node_modules/touchstone/bin/touchstone.js",
  );
  const lock = given("LOCK");
  const options = [
    ...(existsSync(lock) ? ["--lock", lock] : []),
    ...(given("FAULTS") ? ["--faults", given("FAULTS")] : []),
  ];
  const args = [program, "mock", "--listen", "127.0.0.1:0", ...options, "--", given("MOCK")];
  const child = spawn(process.execPath, args, {
    detached: true,
    stdio: ["ignore", "ignore", openSync(log, "w", 0o600)],
  });
  let isOver = false;
  void once(child, "close").then(() => {
    isOver = true;
  });
  for (;;) {
    const text = readFileSync(log, "utf8");
    const [, url] = LISTENING.exec(text) ?? [];
    if (url !== undefined) {
      child.unref();
      return { url, pid: child.pid };
    }
    if (isOver) throw new Error(text);
    await setTimeout(LOOK_MS);
  }
}

if (given("MOCK")) {
  try {
    const outputs = await start();
    console.log(`touchstone mock serves ${given("MOCK")} at ${outputs.url}`);
    for (const [name, value] of Object.entries(outputs)) {
      appendFileSync(env.GITHUB_OUTPUT, `${name}=${value}\n`);
    }
  } catch (error) {
    const text = error.message.trim().replaceAll("\r", "").replaceAll("\n", "%0A");
    console.log(`::error::Touchstone cannot start the mock: ${text}`);
    process.exitCode = 1;
  }
}
