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

/** Returns the output of `ps`, if there is no `/proc` (POSIX, `ps`; `lstart` is from BSD). */
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

/** When many servers end at once, one listing serves all of them, for this long in milliseconds. */
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
    // Without such a system call, no process is known.
    return new Map();
  }
}

/** Windows has no signals, but a tool that ends a process with its descendants. */
function taskkill(pid: number): Promise<void> {
  // By its full path: a program of this name may be in the working directory, which is searched first.
  const folder = process.env["SystemRoot"] ?? "C:\\Windows";
  const program = win32.join(folder, "System32", "taskkill.exe");
  return new Promise((resolve) => {
    const options = { timeout: TASKKILL_MS, windowsHide: true };
    execFile(program, ["/PID", String(pid), "/T", "/F"], options, () => resolve());
  });
}

/** The descendants of a process. `npx`, `uvx` and shells start a server and may end before it. */
export class ProcessTree {
  /** By id, when each started: ids are reused. */
  readonly #known: Map<number, string> = new Map();
  readonly #root: number;
  #killed = false;

  /** @param root the process to search for descendants; it must be running */
  constructor(root: number) {
    this.#root = root;
    const seen = allRunning();
    const running = seen.has(root) ? seen : look();
    const stat = running.get(root);
    if (stat !== undefined) this.#known.set(root, stat.start);
    this.#grow(running);
  }

  /** Returns whether any descendant runs; unknown on Windows. */
  get runs(): boolean {
    return this.#grow(allRunning()).length > 0;
  }

  /**
   * Sends a signal to all descendants at once. On Windows the first call ends them together with the root, which must
   * be running; a second call does nothing, because the id may belong to another process by then.
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
        // It has just ended, or belongs to another user now.
      }
    }
  }

  /** Adds the descendants that started since, and returns those that run. */
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
