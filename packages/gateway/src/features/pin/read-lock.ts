import type { LockedServer } from "@touchstone/protocol/lock";
import { startOwnThread, threadProgram } from "@touchstone/util";
import { LockJoiner, type LockPart, lockParts } from "./lock-parts.ts";

/** A smaller file is read at once: starting a thread takes longer. */
const SMALL_BYTES = 131_072;
const MAX_HEAP_MB = 1_024;

/**
 * Resolves to what a lock file has of a server; undefined if nothing. A large file is read on a thread, and comes from
 * there in parts.
 * @param size of the file, in bytes
 * @throws Error with what is wrong with the file, ThreadError if no thread can start
 */
export function readLocked(
  path: string,
  server: string,
  size: number,
): Promise<LockedServer | undefined> {
  return size <= SMALL_BYTES ? readHere(path, server) : readApart(path, server);
}

async function readHere(path: string, server: string): Promise<LockedServer | undefined> {
  const joined = new LockJoiner();
  for (const part of lockParts(path, server)) joined.take(part);
  return joined.server;
}

function readApart(path: string, server: string): Promise<LockedServer | undefined> {
  const worker = startOwnThread(threadProgram("features/pin/lock-entry", import.meta.url), {
    workerData: { path, server },
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  const joined = new LockJoiner();
  const read = new Promise<LockedServer | undefined>((resolve, reject) => {
    worker.on("error", reject);
    worker.on("exit", () => reject(new Error(`${path} could not be read to its end`)));
    worker.on("message", (part: LockPart) => {
      try {
        if (joined.take(part)) resolve(joined.server);
      } catch (error) {
        reject(error);
      }
    });
  });
  return read.finally(() => void worker.terminate());
}
