import { execFile, execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { win32 } from "node:path";
import { hasEnded, type ProcessStat, processStat } from "./process-stat.ts";

type Running = ReadonlyMap<number, ProcessStat>;

const ON_WINDOWS = process.platform === "win32";
const PS_MS = 2_000;
const TASKKILL_MS = 2_000;
const PS_LINE = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\S.*)$/;

function fromProc(): Running {
  const running = new Map<number, ProcessStat>();
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    const stat = Number.isInteger(pid) ? processStat(pid) : undefined;
    if (stat !== undefined) running.set(pid, stat);
  }
  return running;
}

/** Returns what `ps` tells, if there is no `/proc` (POSIX, `ps`; `lstart` is of BSD). */
export function fromPs(): Running {
  const running = new Map<number, ProcessStat>();
  const listed = execFileSync("ps", ["-A", "-o", "pid=,ppid=,stat=,lstart="], {
    encoding: "latin1",
    stdio: ["ignore", "pipe", "ignore"],
    timeout: PS_MS,
  });
  for (const line of listed.split("\n")) {
    const [, pid, parent, state = "", start] = PS_LINE.exec(line) ?? [];
    if (start !== undefined && !hasEnded(state))
      running.set(Number(pid), { parent: Number(parent), start });
  }
  return running;
}

/** Where many servers are ended at once, one look serves all of them, for so long in milliseconds. */
const LOOK_MS = 20;
let looked: { readonly at: number; readonly running: Running } | undefined;

function allRunning(): Running {
  const now = performance.now();
  if (looked === undefined || now - looked.at > LOOK_MS) {
    looked = { at: now, running: look() };
  }
  return looked.running;
}

function look(): Running {
  if (ON_WINDOWS) return new Map();
  try {
    return process.platform === "linux" ? fromProc() : fromPs();
  } catch {
    // A system that does not tell: nobody is known of then.
    return new Map();
  }
}

/** Windows has no signals, and a tool of its own that ends a process with what it has started. */
function taskkill(pid: number): Promise<void> {
  // By its path: a program of this name may be in the working directory, which is searched first.
  const folder = process.env["SystemRoot"] ?? "C:\\Windows";
  const program = win32.join(folder, "System32", "taskkill.exe");
  return new Promise((resolve) => {
    const options = { timeout: TASKKILL_MS, windowsHide: true };
    execFile(program, ["/PID", String(pid), "/T", "/F"], options, () => resolve());
  });
}

/**
 * The processes that a process has started, those that these have started, and so on. `npx`, `uvx` and
 * shells start the server that they are told to and may end without it.
 */
export class ProcessTree {
  /** By id, when each started: an id is given again. */
  readonly #known: Map<number, string> = new Map();
  readonly #root: number;
  #killed = false;

  /** @param root looks for what it has started so far; it must run */
  constructor(root: number) {
    this.#root = root;
    const seen = allRunning();
    const running = seen.has(root) ? seen : look();
    const stat = running.get(root);
    if (stat !== undefined) this.#known.set(root, stat.start);
    this.#grow(running);
  }

  /** Whether any of them, but the first, runs; on Windows nobody knows. */
  get runs(): boolean {
    return this.#grow(allRunning()).length > 0;
  }

  /**
   * Sends a signal to all of them but the first, at once. On Windows the first time ends them, and the first with them,
   * which must run; a second one does nothing, since its id may be another's by then.
   */
  async signal(signal: NodeJS.Signals): Promise<void> {
    if (ON_WINDOWS && !this.#killed) {
      this.#killed = true;
      await taskkill(this.#root);
    }
    for (const pid of this.#grow(allRunning())) {
      try {
        process.kill(pid, signal);
      } catch {
        // It has just ended, or has become another user's.
      }
    }
  }

  /** Takes in what was started since, and returns those that run. */
  #grow(running: Running): readonly number[] {
    const isKnown = (pid: number): boolean => {
      const start = this.#known.get(pid);
      return start !== undefined && running.get(pid)?.start === start;
    };
    for (let before = -1; before !== this.#known.size; ) {
      before = this.#known.size;
      for (const [pid, { parent, start }] of running) {
        if (!isKnown(pid) && isKnown(parent)) this.#known.set(pid, start);
      }
    }
    return [...this.#known.keys()].filter((pid) => pid !== this.#root && isKnown(pid));
  }
}
