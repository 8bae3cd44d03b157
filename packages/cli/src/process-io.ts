import { type EventEmitter, setMaxListeners } from "node:events";
import type { Readable, Writable } from "node:stream";
import type { CliIo } from "./io.ts";

/** What a command that runs for long needs of its process, beside {@link CliIo}. */
export interface ProcessIo extends CliIo {
  readonly stdin: Readable;
  readonly stdoutStream: Writable;
  /** Where signals come from. */
  readonly signals: EventEmitter;
  /** Sets the status that the process ends with. */
  exit(code: number): void;
}

/** What the first SIGINT, SIGTERM or SIGHUP aborts, and what the second one does. */
export interface StopSignals {
  /** The process is to end, at its own pace. */
  readonly stop: AbortSignal;
  /** It is to end now. */
  readonly hurry: AbortSignal;
}

export function stopSignals(io: ProcessIo): StopSignals {
  const stop = new AbortController();
  const hurry = new AbortController();
  // Every session and child waits for them; Node would take more than ten for a leak, and say so.
  setMaxListeners(0, stop.signal, hurry.signal);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    io.signals.on(signal, () => (stop.signal.aborted ? hurry : stop).abort(signal));
  }
  return { stop: stop.signal, hurry: hurry.signal };
}

/** Aborts on the first SIGINT, SIGTERM or SIGHUP; from then on the process ends at its own pace. */
export function stopSignal(io: ProcessIo): AbortSignal {
  return stopSignals(io).stop;
}
