import { Worker, type WorkerOptions } from "node:worker_threads";
import { messageOf } from "@touchstone/core/plain";
import { TouchstoneError } from "./errors.ts";
import { checkInstallation } from "./installation.ts";

/** Why a thread cannot be started. */
export const THREAD_ERRORS = {
  THREAD_REFUSED: [503, "The system allows no more processes and threads"],
} as const;

/** A thread that cannot be started. */
export class ThreadError extends TouchstoneError<keyof typeof THREAD_ERRORS> {
  constructor(message: string, options: ErrorOptions) {
    super("ThreadError", THREAD_ERRORS, "THREAD_REFUSED", message, options);
  }
}

/**
 * Starts a thread of our own.
 * @param program from `threadProgram`
 * @throws ThreadError if the system allows no more threads
 */
export function startOwnThread(program: URL, options: WorkerOptions): Worker {
  checkInstallation();
  try {
    // The thread does not inherit the flags of the process, such as those of a test runner.
    const worker = new Worker(program, { execArgv: [], ...options });
    worker.on("error", checkInstallation);
    return worker;
  } catch (error) {
    const reason = messageOf(error);
    throw new ThreadError(
      `No thread can be started: ${reason}. Raise the number of processes and threads that may run ` +
        "(ulimit -u; TasksMax of systemd, pids.max of a container).",
      { cause: error },
    );
  }
}
