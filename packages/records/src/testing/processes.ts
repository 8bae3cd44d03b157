import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const SCRIPT = fileURLToPath(new URL("append-child.mjs", import.meta.url));
const BUILT = fileURLToPath(new URL("../../build/open-sqlite.js", import.meta.url));

/** A process that appends records, and the ids that it has acknowledged so far. */
export interface Appender {
  readonly process: ChildProcess;
  readonly ids: readonly string[];
  /** Resolves once the process is ready to open the store. */
  readonly ready: Promise<void>;
  /** Resolves once this many ids are acknowledged, or the process has ended. */
  acknowledged(count: number): Promise<void>;
  /** Resolves with the exit code once all output is read; `null` after a signal. */
  readonly ended: Promise<number | null>;
  start(): void;
}

/**
 * Starts a child process on the built package; `npm run build` must have run.
 *
 * @param options.parallel how many appends run at the same time
 * @param options.within a command that runs the command line after it
 */
export function spawnAppender(
  dataDir: string,
  count: number,
  {
    parallel = 1,
    sync = "normal",
    within = [],
  }: {
    readonly parallel?: number;
    readonly sync?: string;
    readonly within?: readonly string[];
  } = {},
): Appender {
  if (!existsSync(BUILT)) {
    throw new Error(`${BUILT} is missing: run "npm run build" before the tests`);
  }
  const program = [process.execPath, SCRIPT, dataDir, String(count), String(parallel), sync];
  const [command = "", ...parameters] = [...within, ...program];
  const child = spawn(command, parameters, { stdio: ["pipe", "pipe", "inherit"] });
  const ids: string[] = [];
  const waiting: (() => void)[] = [];
  const lines = createInterface({ input: child.stdout });
  const ready = once(lines, "line").then(() => {
    lines.on("line", (id) => {
      ids.push(id);
      for (const check of waiting) {
        check();
      }
    });
  });
  const ended = Promise.all([once(child, "close"), once(lines, "close")]).then(
    () => child.exitCode,
  );
  return {
    process: child,
    ids,
    ready,
    ended,
    start: () => child.stdin.write("go\n"),
    acknowledged: (wanted) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (ids.length >= wanted) {
            resolve();
          }
        };
        waiting.push(check);
        check();
        void ended.then(() => resolve());
      }),
  };
}
