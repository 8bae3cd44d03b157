import { execFile, execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { win32 } from "node:path";
import { codeOf } from "./errors.ts";
import { hasEnded, type ProcessStat, processStat } from "./process-stat.ts";

type Running = ReadonlyMap<number, ProcessStat>;

const ON_WINDOWS = process.platform === "win32";
const PS_MS = 2_000;
const TASKKILL_MS = 2_000;
const PS_LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S.*)$/;

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
export function processesFromPs(): Running {
  const running = new Map<number, ProcessStat>();
  const listed = execFileSync("ps", ["-A", "-o", "pid=,ppid=,pgid=,stat=,lstart="], {
    encoding: "latin1",
    stdio: ["ignore", "pipe", "ignore"],
    timeout: PS_MS,
  });
  for (const line of listed.split("\n")) {
    const [, pid, parent, group, state = "", start] = PS_LINE.exec(line) ?? [];
    if (start !== undefined && !hasEnded(state))
      running.set(Number(pid), { parent: Number(parent), group: Number(group), start });
  }
  return running;
}

/** When many servers end at once, one listing serves all of them, for this long in milliseconds. */
const LOOK_MS = 20;
let looked: { readonly at: number; readonly running: Running } | undefined;

function allRunning(): Running {
  const now = performance.now();
  // A test's clock may go back.
  if (looked === undefined || Math.abs(now - looked.at) > LOOK_MS) {
    looked = { at: now, running: look() };
  }
  return looked.running;
}

function look(): Running {
  if (ON_WINDOWS) return new Map();
  try {
    return process.platform === "linux" ? fromProc() : processesFromPs();
  } catch {
    // If the system cannot list its processes, none is known.
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

/** Returns whether a process group has members, be they zombies. Unknown on Windows, which has none. */
export function hasMembers(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch (error) {
    // EPERM: there are some, of another user.
    return codeOf(error) === "EPERM";
  }
}

/** Sends a signal to a process or, by the negative id, a process group. Does nothing if that is not possible. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has just ended, or its id now belongs to a process of another user.
  }
}

/**
 * The descendants of a process, and the members of its process group: `npx`, `uvx` and shells start a server and may
 * end before it, and a server leaves helpers when it ends. A descendant whose parent has ended is known only by its
 * group, or if it was seen before.
 */
export class ProcessTree {
  /** The start time of each known process, by id. It is needed because ids are reused. */
  readonly #known: Map<number, string> = new Map();
  readonly #root: number;
  /**
   * Whether the root's id is that of its group. A system does not reuse the id while the group has members (POSIX,
   * XBD 4.14), so from the root's end on this is false as soon as there was no member once.
   */
  #leads: boolean;
  #killed = false;

  /**
   * @param root the process to search for descendants; it must be running, or have just ended
   * @param leads whether it was started as the leader of a process group
   */
  constructor(root: number, leads = false) {
    this.#root = root;
    this.#leads = leads && !ON_WINDOWS;
    const seen = allRunning();
    const running = seen.has(root) ? seen : look();
    const stat = running.get(root);
    if (stat !== undefined) this.#known.set(root, stat.start);
    this.#grow(running);
  }

  /**
   * Returns whether any descendant or other member of the group runs; unknown on Windows. Ask at least every 50 ms
   * from the root's end on.
   */
  get runs(): boolean {
    return this.#grow(allRunning()).length > 0;
  }

  /**
   * Sends a signal to all of them, without the root. On Windows the first call ends them together with the root, which
   * must be running; a second call does nothing, because the id may belong to another process by then.
   */
  async signal(signal: NodeJS.Signals): Promise<void> {
    if (ON_WINDOWS && !this.#killed) {
      this.#killed = true;
      await taskkill(this.#root);
    }
    const running = allRunning();
    const others = this.#grow(running);
    // Signals the whole group at once: a member that is signaled separately may just have started another process.
    const whole = this.#leads && !this.#isKnown(this.#root, running);
    if (whole) sendSignal(-this.#root, signal);
    for (const pid of others) {
      if (!whole || running.get(pid)?.group !== this.#root) sendSignal(pid, signal);
    }
  }

  /** Adds the processes that started since, and returns those that run. */
  #grow(running: Running): readonly number[] {
    this.#leads &&= hasMembers(this.#root);
    const isKnown = (pid: number): boolean => this.#isKnown(pid, running);
    for (let before = -1; before !== this.#known.size; ) {
      before = this.#known.size;
      for (const [pid, { parent, group, start }] of running) {
        const isOurs = isKnown(parent) || (this.#leads && group === this.#root);
        if (isOurs && !isKnown(pid)) this.#known.set(pid, start);
      }
    }
    return [...this.#known.keys()].filter((pid) => pid !== this.#root && isKnown(pid));
  }

  #isKnown(pid: number, running: Running): boolean {
    const start = this.#known.get(pid);
    return start !== undefined && running.get(pid)?.start === start;
  }
}
