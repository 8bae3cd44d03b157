import type { Worker } from "node:worker_threads";
import type { CheckLater } from "@touchstone/core/advanced";
import { CheckPool, startCheckThread } from "@touchstone/core/node";
import { checkInstallation, type Logger } from "@touchstone/util";

let pool: CheckPool | undefined;

/** Starts a thread, unless its program is missing or is that of another version, which may check in another way. */
function startThread(): Worker {
  const changed = checkInstallation();
  if (changed !== undefined) throw changed;
  const worker = startCheckThread();
  worker.on("error", checkInstallation);
  return worker;
}

/**
 * Returns the pool for checks that take more than a few milliseconds: threads that all servers of this process share,
 * in turns by client.
 */
export function checkThreads(client: string, log: Logger): CheckLater {
  pool ??= new CheckPool({ log: (line) => log.warn(line), startThread });
  return pool.laterFor(client);
}
