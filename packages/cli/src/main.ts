import { constants } from "node:os";
import process from "node:process";
import { BoundedStderr } from "./io/bounded-stderr.ts";
import { ENDED_BY_SIGNAL, EXIT_OK } from "./io/exit.ts";
import { STOP_SIGNALS } from "./io/process-io.ts";
import { lostOutputStatus, watchOutput } from "./io/watch-output.ts";
import { run } from "./program.ts";

const stderr = new BoundedStderr(process.stderr);
let lost = false;
watchOutput(process.stdout, stderr, () => {
  lost = true;
  process.exitCode = lostOutputStatus(Number(process.exitCode ?? EXIT_OK));
});
// If stderr fails, the error cannot be reported anywhere.
process.stderr.on("error", () => {});

/**
 * How long the process may continue after its command has finished, in milliseconds, and so how long stderr is
 * flushed: a log that is not read must not keep the process alive.
 */
const LINGER_MS = 1_000;
/**
 * How long stdout may remain unread after that, in milliseconds. No limit by default: a pager may continue to read
 * after an hour.
 */
let patienceMs = Number.POSITIVE_INFINITY;

await run(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stdoutStream: process.stdout,
  stderr,
  env: process.env,
  now: () => new Date(),
  signals: process,
  exit: (code) => {
    process.exitCode = lost ? lostOutputStatus(code) : code;
  },
  unreadFor: (milliseconds) => {
    patienceMs = Math.min(patienceMs, milliseconds);
  },
});

// Only output remains to be written, and a user who sends a signal now does not want it. As PID 1, a process has no
// default action for signals.
for (const signal of STOP_SIGNALS) {
  process.on(signal, () => {
    const isLost = process.stdout.writableLength > 0;
    process.exit(isLost ? ENDED_BY_SIGNAL + constants.signals[signal] : undefined);
  });
}

// Processes that a server has started may outlive it and hold its pipes open, which would keep this process running.
let unread = Number.POSITIVE_INFINITY;
let since = 0;
function leave(): void {
  const { writableLength } = process.stdout;
  if (writableLength < unread) since = performance.now();
  unread = writableLength;
  if (unread === 0 || performance.now() - since >= patienceMs) process.exit();
  lingering();
}
function lingering(): void {
  setTimeout(leave, LINGER_MS).unref();
}
lingering();
