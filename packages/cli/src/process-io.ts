import type { EventEmitter } from "node:events";
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

/** Aborts on the first SIGINT, SIGTERM or SIGHUP; from then on the process ends at its own pace. */
export function stopSignal(io: ProcessIo): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    io.signals.on(signal, () => controller.abort(signal));
  }
  return controller.signal;
}
