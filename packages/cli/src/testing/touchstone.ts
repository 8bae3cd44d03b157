import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { onTestFinished, type TestContext } from "vitest";
import { recordsIn } from "../../../records/src/testing/records-in.ts";
import { tempDir } from "../../../records/src/testing/temp-dir.ts";
import { run } from "../program.ts";

export { recordsIn, tempDir };

const at = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const server = (name: string): string =>
  at(`../../../../node_modules/@modelcontextprotocol/${name}/dist/index.js`);

/** A user without rights. */
export const NOBODY = 65_534;
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
  /** Resolves with the first match in the text of `stream` so far, or later. */
  seen(stream: "stdout" | "stderr", wanted: RegExp): Promise<RegExpExecArray>;
  /** Exit code, or the signal that ended it, once all output was read. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

/** Starts the real command for the running test, with records in `dataDir`. */
export function touchstone(
  args: readonly string[],
  options: {
    readonly dataDir?: string;
    readonly env?: Record<string, string>;
    readonly cwd?: string;
    /** Runs it as another user, which requires root. */
    readonly uid?: number;
    readonly gid?: number;
    /** The command to run. Default: the built one. */
    readonly program?: string;
    /** The limit of open files. */
    readonly openFiles?: number;
    /** The context of a concurrent test. */
    readonly context?: TestContext;
  } = {},
): Run {
  const {
    context,
    dataDir = tempDir(context),
    env = {},
    openFiles,
    program = TOUCHSTONE,
    ...user
  } = options;
  const own = [program, ...args];
  const limited = ["-c", `ulimit -n ${openFiles} && exec "$0" "$@"`, process.execPath, ...own];
  const isLimited = openFiles !== undefined;
  const child = spawn(isLimited ? "sh" : process.execPath, isLimited ? limited : own, {
    env: { ...process.env, TOUCHSTONE_DATA_DIR: dataDir, ...env },
    ...user,
  });
  // A test may write to a process that has just ended.
  child.stdin.on("error", () => {});
  const text = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].setEncoding("utf8").on("data", (piece: string) => {
      text[stream] += piece;
    });
  }
  const ended = once(child, "close").then(([code, signal]) => code ?? signal);
  (context?.onTestFinished ?? onTestFinished)(async () => {
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

let canOthersRun: boolean | undefined;

/**
 * Skips a test that runs the command as another user, if root runs the tests and no other user can read the checkout:
 * below `/root`, for example.
 */
export function needsOtherUser({ skip }: Pick<TestContext, "skip">): void {
  if (process.getuid?.() !== 0) return;
  canOthersRun ??=
    spawnSync(process.execPath, [TOUCHSTONE, "--version"], { uid: NOBODY, gid: NOBODY, cwd: "/" })
      .status === 0;
  skip(!canOthersRun, "another user cannot read this checkout");
}

/** The result of a command. */
export interface Outcome {
  /** Exit code, or the signal that ended it. */
  readonly code: number | NodeJS.Signals;
  readonly out: string;
  readonly err: string;
}

export interface OutcomeOptions {
  readonly dataDir?: string;
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  readonly stdin?: string | Uint8Array;
}

/** With `TOUCHSTONE_TEST_BUILT=1`, each command runs as the built program in a separate process. */
const BUILT = process.env["TOUCHSTONE_TEST_BUILT"] === "1";

/**
 * Runs a command to its end in this process, like `main.ts`: starting a process would take most of the test's time.
 * Tests of processes themselves (signals, broken pipes, a terminal) need {@link touchstone}.
 */
export function outcomeOf(args: readonly string[], options: OutcomeOptions = {}): Promise<Outcome> {
  if (BUILT) return outcomeOfBuilt(args, options);
  // Commands run one after the other, because a process has one environment and one working directory.
  const outcome = last.then(async () => {
    const restore = enter(options);
    try {
      return await runHere(args, options.stdin ?? "");
    } finally {
      restore();
    }
  });
  last = outcome.catch(() => {});
  return outcome;
}

let last: Promise<unknown> = Promise.resolve();

async function outcomeOfBuilt(
  args: readonly string[],
  { stdin, ...options }: OutcomeOptions,
): Promise<Outcome> {
  const { child, ended, stdout, stderr } = touchstone(args, options);
  child.stdin.end(stdin);
  return { code: await ended, out: stdout(), err: stderr() };
}

/** Sets the environment and working directory of a command; returns a function that restores them. */
function enter({ dataDir = tempDir(), env = {}, cwd }: OutcomeOptions): () => void {
  const [environment, directory] = [{ ...process.env }, process.cwd()];
  Object.assign(process.env, { TOUCHSTONE_DATA_DIR: dataDir, ...env });
  if (cwd !== undefined) process.chdir(cwd);
  return () => {
    for (const name of Object.keys(process.env)) {
      if (environment[name] === undefined) delete process.env[name];
    }
    Object.assign(process.env, environment);
    if (cwd !== undefined) process.chdir(directory);
  };
}

async function runHere(args: readonly string[], stdin: string | Uint8Array): Promise<Outcome> {
  const written = { out: [] as Buffer[], err: [] as Buffer[] };
  const output = (name: "out" | "err"): Writable =>
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        written[name].push(chunk);
        done();
      },
    });
  const stdout = output("out");
  let code = 0;
  await run(args, {
    stdin: Readable.from(stdin.length === 0 ? [] : [Buffer.from(stdin)]),
    stdout,
    stdoutStream: stdout,
    stderr: output("err"),
    env: { ...process.env },
    now: () => new Date(),
    signals: new EventEmitter(),
    exit: (status) => {
      code = status;
    },
  });
  const text = (name: "out" | "err"): string => Buffer.concat(written[name]).toString();
  return { code, out: text("out"), err: text("err") };
}
