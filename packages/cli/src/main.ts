import process from "node:process";
import { EXIT_OK } from "./exit.ts";
import { run } from "./program.ts";
import { statusOfLost, watchOutput } from "./watch-output.ts";

let lost = false;
watchOutput(process.stdout, process.stderr, () => {
  lost = true;
  process.exitCode = statusOfLost(Number(process.exitCode ?? EXIT_OK));
});
// There is nowhere else to report it.
process.stderr.on("error", () => {});

/** How long the process may continue after its command is done, in milliseconds. */
const LINGER_MS = 1_000;

await run(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stdoutStream: process.stdout,
  stderr: process.stderr,
  env: process.env,
  now: () => new Date(),
  signals: process,
  exit: (code) => {
    process.exitCode = lost ? statusOfLost(code) : code;
  },
});

// Processes that a server has started may outlive it and hold its pipes open, which would keep this process running.
function leave(): void {
  if (process.stdout.writableLength + process.stderr.writableLength === 0) process.exit();
  lingering();
}
function lingering(): void {
  setTimeout(leave, LINGER_MS).unref();
}
lingering();
