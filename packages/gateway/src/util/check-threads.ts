import type { CheckLater } from "@touchstone/core";
import { CheckPool } from "@touchstone/core/node";
import type { Logger } from "./log.ts";

let pool: CheckPool | undefined;

/**
 * Returns the pool for checks that take more than a few milliseconds: threads that all servers of this process share,
 * in turns by client.
 */
export function checkThreads(client: string, log: Logger): CheckLater {
  pool ??= new CheckPool({ log: (line) => log.warn(line) });
  return pool.laterFor(client);
}
