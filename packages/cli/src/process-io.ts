import { type EventEmitter, setMaxListeners } from "node:events";
import type { Readable, Writable } from "node:stream";
import type { CliIo } from "./io.ts";

/** What a long-running command needs of its process, in addition to {@link CliIo}. */
export interface ProcessIo extends CliIo {
  readonly stdin: Readable;
  readonly stdoutStream: Writable;
  /** The source of signals. */
  readonly signals: EventEmitter;
  /** Sets the exit status of the process. */
  exit(code: number): void;
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
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    io.signals.on(signal, () => (stop.signal.aborted ? hurry : stop).abort(signal));
  }
  other?.addEventListener("abort", () => stop.abort(other.reason));
  return { stop: stop.signal, hurry: hurry.signal };
}

/** Aborts on the first SIGINT, SIGTERM or SIGHUP; from then on the process ends in its own time. */
export function stopSignal(io: ProcessIo): AbortSignal {
  return stopSignals(io).stop;
}
