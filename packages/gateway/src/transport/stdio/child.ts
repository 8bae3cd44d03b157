import { ChildProcess } from "node:child_process";
import { statSync } from "node:fs";
import { resolve as resolvePath } from "node:path";
import type { Readable, Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { hasMembers, isOnPath, ProcessTree, sendSignal, tildeHint } from "@touchstone/util";
import spawn from "cross-spawn";
import type { LinkEnd, LinkEvents, ServerLink } from "../link.ts";
import type { ChildWatch } from "../upstream-status.ts";
import type { ChildSlots } from "./child-limits.ts";
import { LineWriter, readLines } from "./lines.ts";
import { readStderr } from "./stderr-lines.ts";

export interface ChildOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** The child's whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Longest line on stdout that counts as a frame, in bytes. */
  readonly maxFrameBytes: number;
  /** Receives the stderr of each child line by line, without line feeds. */
  readonly stderr: (line: string, pid?: number) => void;
  /**
   * Called when a child starts, with its id unless it could not be started; returns an object that receives events of
   * the child.
   */
  readonly watch?: (pid?: number) => ChildWatch;
  /** Called for a child that keeps running because this user may not end it, such as one that `sudo -u` started. */
  readonly leftBehind?: (text: string) => void;
  /** The limit that it counts toward. The caller must check first whether there is room. */
  readonly slots?: ChildSlots;
  /** When aborted, a child that is ending has only a short time left. */
  readonly hurry?: AbortSignal;
}

/** How long a child may take to leave after its stdin is closed, and then after SIGTERM, in milliseconds. */
const GRACE_MS = 2_000;
/** How often to check whether the processes that a child started have ended, in milliseconds. */
const LOOK_MS = 40;
/**
 * How long these processes may run after the child if they hold its pipes, in milliseconds: the child's last lines
 * may still pass through one of them (`server > >(tee log)`).
 */
const LAST_LINES_MS = 300;
/** How many bytes may wait for a child with several clients before requests are refused. */
export const MAX_UNREAD_BYTES: number = 64 * 1024 * 1024;
export const UNREAD_INPUT_TEXT = "the server does not read its input: 64 MiB wait for it";

/** Whether children lead a process group, so that the processes that they leave behind can be found. */
const LEADS: boolean = process.platform !== "win32";

/** The links whose processes may run. */
const open: Set<ChildLink> = new Set();

/** Ends the children if this process exits without having closed its links, as after an internal error. */
function endAtExit(): void {
  for (const link of open) link.abandon();
}

/**
 * Starts a command as an MCP stdio server (MCP 2025-11-25, Transports, stdio). Frames are passed on as the bytes of
 * their lines.
 */
export class ChildLink implements ServerLink {
  readonly ended: Promise<LinkEnd>;
  #events: LinkEvents;
  readonly #child: ChildProcess;
  readonly #input: LineWriter | undefined;
  /** Resolves when the process has ended, or could not be started. */
  readonly #left: Promise<void>;
  #leave: () => void = () => {};
  /** Resolves when the processes that it started have ended as well, or this user may not end them. */
  readonly #allLeft: Promise<void>;
  /** The processes that it started; undefined until they are looked for. */
  #tree: ProcessTree | undefined;
  #gone = false;
  #killed = false;
  /** When SIGTERM was sent, on the clock of the gateway's process. */
  #askedAt: number | undefined;
  #mayNotKill = false;
  #hurry: AbortSignal | undefined;
  /** Returns a promise that resolves when the pending lines of stderr are read; undefined if there are none. */
  #lastWords: () => Promise<void> | undefined = () => undefined;
  readonly #leftBehind: ((text: string) => void) | undefined;
  #leaving = false;
  /** The pipe that the child closed, if it was ended because of that. */
  #cutOff: "stdin" | "stdout" | undefined;
  #end: (end: LinkEnd) => void = () => {};

  constructor(options: ChildOptions, events: LinkEvents) {
    this.#events = events;
    this.#child = started(options);
    this.#hurry = options.hurry;
    this.#leftBehind = options.leftBehind;
    const { stdout, stderr, pid } = this.#child;
    const watch = options.watch?.(pid);
    if (stdout) {
      const { maxFrameBytes: maxBytes } = options;
      readFrames(stdout, { maxBytes, events: () => this.#events, watch });
      stdout.once("end", () => void this.#endCutOff("stdout"));
    }
    if (stderr) {
      const take = (line: string): void => options.stderr(line, pid);
      this.#lastWords = readStderr(stderr, take, [`stderr ${pid}`]);
    }
    // A write to a child that is gone fails here as well; `ended` reports its end.
    this.#child.stdin?.on("error", () => void this.#endCutOff("stdin"));
    this.#left = new Promise((resolve) => {
      this.#leave = resolve;
    });
    this.ended = this.#watch(options);
    this.#allLeft = this.#left.then(() => this.#endRest());
    if (open.size === 0) process.on("exit", endAtExit);
    open.add(this);
    void Promise.all([this.#allLeft, this.ended]).then(() => {
      this.#release();
      open.delete(this);
      if (open.size === 0) process.off("exit", endAtExit);
    });
    options.slots?.take(this.ended);
    if (watch) {
      void this.ended.then((end) => watch.ended(end, this.#leaving && this.#cutOff === undefined));
    }
    // If no file can be opened, there are no streams at all.
    const stdin: Writable | null | undefined = this.#child.stdin;
    this.#input = stdin ? new LineWriter(stdin, this.ended) : undefined;
  }

  /** Reports what the child sends from now on to another owner. */
  report(events: LinkEvents): void {
    this.#events = events;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** How many bytes the child has not read yet. */
  get unread(): number {
    return this.#child.stdin?.writableLength ?? 0;
  }

  async send(frame: Uint8Array): Promise<void> {
    if (!this.#gone) await this.#input?.write(frame);
  }

  /** Closes the child's stdin: the client ends the conversation. */
  endInput(): void {
    this.#leaving = true;
    this.#input?.flush();
    this.#child.stdin?.end();
  }

  /** Stops reading the child's stdout until {@link resume}: its pipe fills, and it must wait. */
  pause(): void {
    this.#child.stdout?.pause();
  }

  resume(): void {
    this.#child.stdout?.resume();
  }

  kill(signal: NodeJS.Signals): void {
    if (this.#gone) return;
    this.#killed = true;
    this.#child.kill(signal);
  }

  /**
   * Ends the child and the processes that it started: the server that `npx` runs may outlive `npx`. Resolves when all
   * have ended.
   * @param graceMs how long the child may take to leave after its stdin is closed
   * @param hurry when aborted, all of them have only a short time left
   */
  async close(
    graceMs: number = GRACE_MS,
    hurry: AbortSignal | undefined = this.#hurry,
  ): Promise<void> {
    this.#hurry = hurry;
    // This must happen before the child ends: afterward, a helper in a separate process group can no longer be found.
    const tree = this.#runs ? this.#findTree() : this.#tree;
    this.endInput();
    if (!(await leavesWithin(graceMs, this.#left, hurry))) {
      this.#killed ||= !this.#gone;
      this.#askedAt ??= performance.now();
      await tree?.signal("SIGTERM");
      this.kill("SIGTERM");
      if (!(await leavesWithin(GRACE_MS, this.#left, hurry))) {
        await tree?.signal("SIGKILL");
        this.kill("SIGKILL");
      }
      if (this.#mayNotKill) this.#leaveBehind();
    }
    await Promise.all([this.#allLeft, this.ended]);
  }

  /**
   * Ends a child that closed one of its pipes, unless it exits soon or is already being ended: it could not answer
   * any call.
   */
  async #endCutOff(pipe: "stdin" | "stdout"): Promise<void> {
    if (this.#leaving || (await leavesWithin(GRACE_MS, this.#left, this.#hurry))) return;
    if (this.#leaving) return;
    this.#cutOff = pipe;
    await this.close(0);
  }

  /**
   * Signals the processes once, without waiting for them: SIGTERM to a server, SIGKILL to processes that it left
   * behind.
   */
  abandon(): void {
    const { pid } = this;
    if (LEADS && pid !== undefined) sendSignal(-pid, this.#runs ? "SIGTERM" : "SIGKILL");
  }

  get #runs(): boolean {
    const { pid, exitCode, signalCode } = this.#child;
    return pid !== undefined && exitCode === null && signalCode === null;
  }

  #findTree(): ProcessTree | undefined {
    const { pid } = this;
    if (pid !== undefined) this.#tree ??= new ProcessTree(pid, LEADS);
    return this.#tree;
  }

  /**
   * Ends the processes that the child has started and left running. Most servers leave none, and then no search for
   * processes is made.
   */
  async #endRest(): Promise<void> {
    const { pid } = this;
    // The child keeps running if this user may not end it.
    if (pid === undefined || this.#runs) return;
    if (!(LEADS && hasMembers(pid)) && !this.#tree?.runs) return;
    const tree = this.#findTree();
    const leavesBefore = async (deadline: () => number): Promise<void> => {
      do await pause(LOOK_MS);
      while (tree?.runs && performance.now() < deadline());
    };
    const now = performance.now();
    await leavesBefore(() => (this.#gone || this.#hurry?.aborted ? now : now + LAST_LINES_MS));
    if (!tree?.runs) return;
    const askedAt = this.#askedAt ?? performance.now();
    if (this.#askedAt === undefined) await tree.signal("SIGTERM");
    await leavesBefore(() => askedAt + (this.#hurry?.aborted ? HURRY_MS : GRACE_MS));
    await tree.signal("SIGKILL");
    const killedAt = performance.now();
    if (tree.runs) await leavesBefore(() => killedAt + HURRY_MS);
  }

  #leaveBehind(): void {
    this.#leftBehind?.(`the server runs on as process ${this.pid}: this user may not end it`);
    this.#child.unref();
    this.#end({ reason: "runs on: this user may not end it", stopped: true });
  }

  /** Stops reading: a process that could not be ended may hold the pipes open. */
  #release(): void {
    const { stdin, stdout, stderr } = this.#child;
    for (const stream of [stdin, stdout, stderr]) stream?.destroy();
  }

  #watch(options: ChildOptions): Promise<LinkEnd> {
    return new Promise((resolve) => {
      const end = (result: LinkEnd): void => {
        this.#gone = true;
        this.#leave();
        resolve(result);
      };
      this.#end = end;
      this.#child.on("error", (error: NodeJS.ErrnoException) => {
        // A running child emits this error for each signal that this user may not send. On Windows, a command that is
        // not a program is started through a shell, which runs even if it does not find the command.
        if (error.code === "EPERM" && this.#killed) this.#mayNotKill = true;
        else if (this.#child.pid === undefined || error.code === "ENOENT") {
          const { code } = error;
          const reason = describeSpawnError(error, options);
          end({ reason, failedToStart: true, ...(code === undefined ? {} : { code }) });
        }
      });
      const exited = (code: number | null, signal: NodeJS.Signals | null): void => {
        const pipe = this.#killed ? this.#cutOff : undefined;
        end({
          reason:
            pipe === undefined
              ? describeExit(code, signal)
              : `closed its ${pipe}, and was ended by the gateway`,
          ...(code === null ? {} : { exitCode: code }),
          ...(signal === null ? {} : { signal }),
          ...(this.#killed && pipe === undefined ? { stopped: true } : {}),
        });
      };
      // "close" comes after "exit" and after the last byte of stdout, so no response is lost. A process that could not
      // be ended and keeps the pipes open must not block the end forever.
      const closed = new Promise((close) => this.#child.once("close", close));
      this.#child.once("close", (code, signal) => {
        const waiting = this.#lastWords();
        if (waiting === undefined) exited(code, signal);
        else void waiting.then(() => exited(code, signal));
      });
      this.#child.once("exit", async (code, signal) => {
        this.#leave();
        await leavesWithin(GRACE_MS, closed.then(this.#lastWords), this.#hurry);
        exited(code, signal);
      });
    });
  }
}

/**
 * Starts a process, or returns one that fails at once: Node reports some faults by an exception and others by an
 * event.
 */
function started({ command, args, cwd, env }: ChildOptions): ChildProcess {
  try {
    return spawn(command, [...args], {
      env: { ...env },
      stdio: ["pipe", "pipe", "pipe"],
      windowsHide: true,
      detached: LEADS,
      ...(cwd === undefined ? {} : { cwd }),
    });
  } catch (error) {
    const none = new ChildProcess();
    process.nextTick(() => none.emit("error", error));
    return none;
  }
}

interface FrameReading {
  /** Longest line that counts as a frame. */
  readonly maxBytes: number;
  readonly events: () => LinkEvents;
  readonly watch?: ChildWatch | undefined;
}

/** Passes on the lines that a child writes to its stdout. */
function readFrames(stdout: Readable, { maxBytes, events: current, watch }: FrameReading): void {
  readLines(stdout, maxBytes, (line) => {
    watch?.spoke();
    const events = current();
    if (line.kind === "oversize") events.oversize(line);
    else if (events.line) events.line(line.bytes);
    else events.frame(line.bytes);
  });
}

/**
 * How long a process may take to end if there is little time, in milliseconds. Clients of the official SDKs kill a
 * server 2 s after their SIGTERM; by then the wrapped server must be gone, or no process is left to end it.
 */
const HURRY_MS = 700;

/**
 * Returns whether something ends in time.
 * @param ended resolves when it has
 * @param hurry when aborted, only a short time is left
 */
async function leavesWithin(
  milliseconds: number,
  ended: Promise<unknown>,
  hurry?: AbortSignal,
): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  let hasten = (): void => {};
  const timeout = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds);
    hasten = () => {
      clearTimeout(timer);
      timer = setTimeout(() => resolve(false), Math.min(milliseconds, HURRY_MS));
    };
    if (hurry?.aborted) hasten();
    else hurry?.addEventListener("abort", hasten, { once: true });
  });
  const left = await Promise.race([ended.then(() => true as const), timeout]);
  clearTimeout(timer);
  hurry?.removeEventListener("abort", hasten);
  return left;
}

/** The options that describe a fault. */
interface Started {
  readonly command: string;
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Returns why a command could not be started, in one line for people, and how to fix it. */
export function describeSpawnError(error: NodeJS.ErrnoException, options: Started): string {
  const command = JSON.stringify(options.command);
  const notFound = `cannot start ${command}: command not found. Check the spelling and the PATH${tildeHint(options.command)}`;
  switch (error.code) {
    case "ENOENT":
      if (hasArguments(options)) {
        return `cannot start ${command}: it is one program without arguments; move what follows the program into "args"`;
      }
      return options.cwd === undefined
        ? notFound
        : `cannot start ${command} in ${JSON.stringify(options.cwd)}: command or directory not found${tildeHint(options.cwd)}`;
    case "EACCES":
      if (!isOnPath(options.command, options.env["PATH"])) return notFound;
      return `cannot start ${command}: it is not executable by this user`;
    case "ENOTDIR":
      return `cannot start ${command}: a part of its path, or of "cwd", is not a directory`;
    case "E2BIG":
      return `cannot start ${command}: its arguments and environment are larger than the system allows`;
    case "EMFILE":
    case "ENFILE":
      return `cannot start ${command}: too many files are open. Raise the limit (ulimit -n), or lower limits.children`;
    default:
      return `cannot start ${command}: ${error.message}`;
  }
}

/** Returns whether a missing command begins with an existing program: a path may contain spaces. */
function hasArguments({ command, cwd = ".", env }: Started): boolean {
  const [program = "", ...words] = command.trim().split(/\s+/);
  if (words.length === 0) return false;
  if (!program.includes("/")) return isOnPath(program, env["PATH"]);
  try {
    return statSync(resolvePath(cwd, program)).isFile();
  } catch {
    return false;
  }
}

/** Returns how a process ended, as text after "the server". */
export function describeExit(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null ? `exited with code ${code}` : `was ended by ${signal}`;
}
