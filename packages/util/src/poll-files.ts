import { stat } from "node:fs/promises";

/**
 * Calls back after files have changed, and once at the beginning: fs.watchFile() misses a change that happens before
 * its first check, which it makes later, on a thread. Does not keep the process alive.
 * @param everyMs how long to wait between two checks, in milliseconds
 * @returns a function that ends the polling
 */
export function pollFiles(
  files: readonly string[],
  everyMs: number,
  touched: () => void,
): () => void {
  const seen = new Map<string, string>();
  let ended = false;
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    // Waits only after the last check has ended, so that checks of a file system that hangs do not take all threads.
    if (!ended) timer = setTimeout(look, everyMs).unref();
  };
  const look = (): void => void Promise.all(files.map(follow)).then(wait);
  const follow = async (file: string): Promise<void> => {
    const now = await stampOf(file);
    if (ended || now === seen.get(file)) return;
    seen.set(file, now);
    touched();
  };
  wait();
  return () => {
    ended = true;
    clearTimeout(timer);
  };
}

/** Identifies a file's content; empty if there is no file. Never rejects. */
async function stampOf(file: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(" ");
  } catch {
    return "";
  }
}
