import type { EventEmitter } from "node:events";
import { constants } from "node:os";
import { CliExit, ENDED_BY_SIGNAL } from "../io/exit.ts";
import { STOP_SIGNALS } from "../io/process-io.ts";

/** How long the task may take to clean up, in milliseconds: several times as long as killing a server takes. */
const PUT_AWAY_MS = 5_000;

/**
 * Runs a task that must clean up if a signal ends the command. Before and after the task, signals have their default
 * effect.
 *
 * @param task receives a signal that the first SIGINT, SIGTERM or SIGHUP aborts; the task must then end, and is
 *   abandoned if it does not within 5 s
 * @throws CliExit 128 plus the signal's number if one arrives, whatever the outcome of the task
 */
export async function runStoppable<T>(
  signals: EventEmitter,
  task: (stop: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const listeners = STOP_SIGNALS.map((name) => [name, () => stop.abort(name)] as const);
  for (const [name, listener] of listeners) signals.on(name, listener);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    stop.signal.addEventListener("abort", () => {
      timer = setTimeout(reject, PUT_AWAY_MS);
    });
  });
  try {
    const result = await Promise.race([task(stop.signal), late]);
    if (!stop.signal.aborted) return result;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
    for (const [name, listener] of listeners) signals.off(name, listener);
  }
  throw stopped(stop.signal.reason);
}

function stopped(signal: (typeof STOP_SIGNALS)[number]): CliExit {
  return new CliExit(ENDED_BY_SIGNAL + constants.signals[signal], `stopped by ${signal}`);
}
