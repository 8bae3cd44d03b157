import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { recordsIn } from "../../../gateway/src/records/testing/records-in.ts";
import { tempDir } from "../../../gateway/src/records/testing/temp-dir.ts";

export { recordsIn, tempDir };

const at = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const server = (name: string): string =>
  at(`../../../../node_modules/@modelcontextprotocol/${name}/dist/index.js`);

/** The built command, to be run by `node`. */
export const TOUCHSTONE: string = at("../../bin/touchstone.js");
export const RECORDER: string = at("../../../gateway/src/testing/recorder.mjs");
export const SCRIPTED_SERVER: string = at("../../../gateway/src/testing/scripted-server.mjs");
export const FAULTY_SERVER: string = at("../../../../examples/faulty-server/server.mjs");
export const EVERYTHING_SERVER: string = server("server-everything");
export const FILESYSTEM_SERVER: string = server("server-filesystem");

export interface Run {
  readonly child: ChildProcessWithoutNullStreams;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves once `stream` has brought text like this; gives the match. */
  seen(stream: "stdout" | "stderr", wanted: RegExp): Promise<RegExpExecArray>;
  /** Exit code, or the signal that ended it, with all output read. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

/** Starts the real command for the running test, with records in `dataDir`. */
export function touchstone(
  args: readonly string[],
  options: {
    readonly dataDir?: string;
    readonly env?: Record<string, string>;
    readonly cwd?: string;
    /** Runs it as another user, which only root may. */
    readonly uid?: number;
    readonly gid?: number;
    /** How many files it may have open. */
    readonly openFiles?: number;
  } = {},
): Run {
  const { dataDir = tempDir(), env = {}, openFiles, ...user } = options;
  const program = [TOUCHSTONE, ...args];
  const limited = ["-c", `ulimit -n ${openFiles} && exec "$0" "$@"`, process.execPath, ...program];
  const isLimited = openFiles !== undefined;
  const child = spawn(isLimited ? "sh" : process.execPath, isLimited ? limited : program, {
    env: { ...process.env, TOUCHSTONE_DATA_DIR: dataDir, ...env },
    ...user,
  });
  // A test may write to a process that ends.
  child.stdin.on("error", () => {});
  const text = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].setEncoding("utf8").on("data", (piece: string) => {
      text[stream] += piece;
    });
  }
  const ended = once(child, "close").then(([code, signal]) => code ?? signal);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return {
    child,
    stdout: () => text.stdout,
    stderr: () => text.stderr,
    ended,
    async seen(stream, wanted) {
      for (;;) {
        const match = wanted.exec(text[stream]);
        if (match) return match;
        if ((child.exitCode ?? child.signalCode) !== null && child[stream].readableEnded) {
          throw new Error(`the process ended without ${wanted} on ${stream}: ${text[stream]}`);
        }
        await Promise.race([once(child[stream], "data"), ended]);
      }
    },
  };
}
