import { messageOf } from "@touchstone/core/advanced";
import { relayedLine } from "@touchstone/gateway/log";
import { CliExit, EXIT_FAILED } from "../io/exit.ts";
import type { ProcessIo } from "../io/process-io.ts";
import { Progress } from "../terminal/progress.ts";
import { safeText } from "../terminal/safe-text.ts";
import { type Connection, connect } from "./connect.ts";
import { runStoppable } from "./stoppable.ts";
import type { ServerTarget } from "./target.ts";

/**
 * Returns the start of the error message for a server that cannot be reached, or does not return its lists.
 */
export function unreachableText({ name }: ServerTarget): string {
  return `${safeText(name)} cannot be reached`;
}

/**
 * Turns the failure of a task into a CliExit.
 * @param otherwise start of the error message
 * @throws CliExit 3 with the reason if the task fails, or the CliExit that the task throws
 */
export async function exitOnServerFailure<T>(
  otherwise: string,
  task: () => Promise<T>,
): Promise<T> {
  try {
    return await task();
  } catch (error) {
    if (error instanceof CliExit) throw error;
    const reason = messageOf(error);
    throw new CliExit(EXIT_FAILED, `${otherwise}: ${safeText(reason)}`);
  }
}

/**
 * Connects to a server for a task, and always closes the connection afterward. On a terminal, shows that it is
 * waiting, and the task may report its progress.
 * @param timeout for each response, in seconds
 * @throws CliExit 3 if the server cannot be reached, 128 plus a signal's number if one arrives, and errors of the
 *   task
 */
export async function withConnection<T>(
  target: ServerTarget,
  { timeout }: { readonly timeout: number },
  io: ProcessIo & { readonly version: string },
  task: (connection: Connection, progress: Progress) => Promise<T>,
): Promise<T> {
  const progress = new Progress(io);
  progress.show(`asking ${safeText(target.name)} …`);
  return runStoppable(io.signals, async (stop) => {
    const connection = await exitOnServerFailure(unreachableText(target), () =>
      connect(target, {
        timeout: timeout * 1000,
        env: io.env,
        version: io.version,
        stderr: (text) => {
          progress.clear();
          io.stderr.write(relayedLine(target.name, text.replace(/\n$/, ""), "text"));
        },
        stop,
      }),
    ).finally(() => progress.clear());
    const stopped = new Promise<never>((_, reject) => {
      if (stop.aborted) reject(stop.reason);
      else stop.addEventListener("abort", () => reject(stop.reason));
    });
    try {
      // The task may be in a long check, which a signal does not interrupt.
      return await Promise.race([task(connection, progress), stopped]);
    } finally {
      progress.clear();
      await connection.close();
    }
  });
}
