import { type EventEmitter, setMaxListeners } from "node:events";
import type { Readable, Writable } from "node:stream";
import type { Logger } from "@touchstone/gateway/log";
import type { CliIo } from "../terminal/cli-io.ts";

/** What a long-running command needs of its process, in addition to {@link CliIo}. */
export interface ProcessIo extends CliIo {
  readonly stdin: Readable;
  readonly stdoutStream: Writable;
  /** The source of signals. */
  readonly signals: EventEmitter;
  /** Sets the exit status of the process. */
  exit(code: number): void;
  /**
   * Called when nobody may be left to read stdout, with how long it may stay unread before the process ends, in
   * milliseconds.
   */
  readonly unreadFor?: (milliseconds: number) => void;
}

/** What a person, a supervisor or a terminal that closes sends. */
export const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** How long stdout may stay unread after such a signal, in milliseconds. */
const UNREAD_MS = 1_000;

/**
 * Logs a warning if this process is the first one of a container, where it inherits the processes that servers leave
 * behind. They stay as zombies: Node.js collects only what it has started itself, and has no call for others, such as
 * waitpid(2) with -1.
 */
export function warnWithoutInit(log: Pick<Logger, "warn">, pid: number = process.pid): void {
  if (pid !== 1) return;
  log.warn(
    "this process is PID 1, so processes that servers leave behind stay as zombies: start the container with an init, such as docker run --init",
  );
}

/** Signals for shutdown: the first SIGINT, SIGTERM or SIGHUP aborts one, the second the other. */
export interface StopSignals {
  /** The process should end in its own time. */
  readonly stop: AbortSignal;
  /** The process should end now. */
  readonly hurry: AbortSignal;
}

/** @param other stops the process as a signal does */
export function stopSignals(io: ProcessIo, other?: AbortSignal): StopSignals {
  const stop = new AbortController();
  const hurry = new AbortController();
  // Every session and child listens to them; Node would report more than ten listeners as a leak.
  setMaxListeners(0, stop.signal, hurry.signal);
  stop.signal.addEventListener("abort", () => io.unreadFor?.(UNREAD_MS));
  for (const signal of STOP_SIGNALS) {
    io.signals.on(signal, () => (stop.signal.aborted ? hurry : stop).abort(signal));
  }
  other?.addEventListener("abort", () => stop.abort(other.reason));
  return { stop: stop.signal, hurry: hurry.signal };
}

/** Aborts on the first SIGINT, SIGTERM or SIGHUP; from then on the process ends in its own time. */
export function stopSignal(io: ProcessIo): AbortSignal {
  return stopSignals(io).stop;
}
