import type { ChildProcess } from "node:child_process";
import { messageOf } from "@touchstone/core/advanced";
import {
  ProcessTree,
  timeoutSignal,
  untilAborted,
  valueOrTimeout,
  visible,
} from "@touchstone/util";
import spawn from "cross-spawn";
import { inheritedEnvironment } from "../../transport/stdio/child-environment.ts";
import { type DeliveryAttempt, failedAttempt } from "./attempt.ts";

const TIME_MS = 30_000;
/** How long a command may take to leave after SIGTERM, and after SIGKILL. */
const GRACE_MS = 2_000;
const MAX_WORDS = 300;

export interface RunOptions {
  /** The gateway's own environment; the program gets it without Touchstone's variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Stops it early. */
  readonly signal: AbortSignal;
  /** How long it may run, in milliseconds. Default: 30 s. */
  readonly timeMs?: number;
}

/**
 * Runs a program with a document on its stdin. No shell parses the arguments, and neither the arguments nor the
 * environment contain parts of the document. A program that runs too long is stopped, with the processes that it
 * started. Never rejects.
 */
export async function runCommand(
  [program = "", ...args]: readonly string[],
  document: string,
  { env, signal, timeMs = TIME_MS }: RunOptions,
): Promise<DeliveryAttempt> {
  let child: ChildProcess;
  try {
    child = spawn(program, args, {
      env: inheritedEnvironment(env),
      stdio: ["pipe", "ignore", "pipe"],
      windowsHide: true,
    });
  } catch (error) {
    return failedAttempt(messageOf(error));
  }
  const ended = endOf(child);
  // The program may end without reading it.
  child.stdin?.on("error", () => {}).end(document);
  try {
    const end = await Promise.race([ended, untilAborted(timeoutSignal(timeMs, signal))]);
    if (end !== undefined) return end;
    await stop(child, ended);
    const why = signal.aborted ? "because the gateway stopped" : `after ${timeMs / 1000} s`;
    return failedAttempt(`the command was stopped ${why}`);
  } finally {
    // Processes that the program started may keep the pipe open.
    child.stderr?.destroy();
  }
}

function endOf(child: ChildProcess): Promise<DeliveryAttempt> {
  let words = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    words = (words + text).slice(-MAX_WORDS);
  });
  return new Promise((resolve) => {
    child.on("error", ({ message }) => resolve(failedAttempt(message)));
    // The last output may not have arrived yet.
    child.once("exit", (code, by) =>
      setImmediate(() => {
        const how = code === null ? `was ended by ${by}` : `ended with ${code}`;
        const said = visible(words.trim(), MAX_WORDS);
        const ending = code === null ? {} : { exitCode: code };
        if (code === 0) resolve({ sent: true, exitCode: code });
        else resolve(failedAttempt(`the command ${how}${said === "" ? "" : `: ${said}`}`, ending));
      }),
    );
  });
}

async function stop(child: ChildProcess, ended: Promise<DeliveryAttempt>): Promise<void> {
  const tree = child.pid === undefined ? undefined : new ProcessTree(child.pid);
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    await tree?.signal(signal);
    child.kill(signal);
    await valueOrTimeout<unknown>(GRACE_MS, ended, () => {});
  }
}
