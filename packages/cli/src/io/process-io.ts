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
   * Called when stdout may no longer have a reader, with how long it may remain unread before the process ends, in
   * milliseconds.
   */
  readonly unreadFor?: (milliseconds: number) => void;
}

/** The signals that a person, a supervisor or a closing terminal sends. */
export const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** How long stdout may remain unread after such a signal, in milliseconds. */
const UNREAD_MS = 1_000;

/**
 * Logs a warning if this process is the first one of a container, because it then inherits the processes that servers
 * leave behind. These remain as zombies: Node.js only collects processes that it has started itself, and has no call
 * such as waitpid(2) with -1.
 */
export function warnWithoutInit(log: Pick<Logger, "warn">, pid: number = process.pid): void {
  if (pid !== 1) return;
  log.warn(
    "this process is PID 1, so processes that servers leave behind stay as zombies: start the container with an init, such as docker run --init",
  );
}

/** Signals for shutdown: the first SIGINT, SIGTERM or SIGHUP aborts `stop`, the second one aborts `hurry`. */
export interface StopSignals {
  /** The process should end gracefully. */
  readonly stop: AbortSignal;
  /** The process should end now. */
  readonly hurry: AbortSignal;
}

/** @param other another signal that also stops the process */
export function stopSignals(io: ProcessIo, other?: AbortSignal): StopSignals {
  const stop = new AbortController();
  const hurry = new AbortController();
  // Every session and child listens to them; Node would otherwise report more than ten listeners as a leak.
  setMaxListeners(0, stop.signal, hurry.signal);
  stop.signal.addEventListener("abort", () => io.unreadFor?.(UNREAD_MS));
  for (const signal of STOP_SIGNALS) {
    io.signals.on(signal, () => (stop.signal.aborted ? hurry : stop).abort(signal));
  }
  other?.addEventListener("abort", () => stop.abort(other.reason));
  return { stop: stop.signal, hurry: hurry.signal };
}

/** Returns a signal that aborts on the first SIGINT, SIGTERM or SIGHUP; the process should then end gracefully. */
export function stopSignal(io: ProcessIo): AbortSignal {
  return stopSignals(io).stop;
}
