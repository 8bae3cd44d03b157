import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { open, realpath, rename, rm, stat } from "node:fs/promises";
import { decodeUtf8 } from "@touchstone/core/advanced";
import { codeOf } from "@touchstone/gateway/errors";
import { isEmitter } from "../io/closed-output.ts";
import { writeError } from "../io/write-error.ts";
import { runStoppable } from "../servers/stoppable.ts";
import type { TextOutput } from "../terminal/cli-io.ts";
import type { ActivityIo } from "./options.ts";

/** Writes pieces of text, or of UTF-8, one by one. */
export type WriteText = (text: string | Uint8Array) => Promise<void>;

/** Ends the writing function when the reader has closed the output. */
class ReaderLeft extends Error {}

/**
 * Calls a function with a way to write: to the file, which appears as a whole at the end and only its owner can read
 * (a device or a pipe is written to directly), or to stdout, no faster than it is read. If the reader closes the
 * output early, the function ends without an error. A signal leaves no partial file.
 *
 * @throws CliExit 3 if the file cannot be written, 128 plus the signal's number if one came meanwhile
 */
export async function withTextOutput<T>(
  { stdout, signals }: Pick<ActivityIo, "stdout" | "signals">,
  file: string | undefined,
  step: (write: WriteText) => Promise<T>,
): Promise<T | undefined> {
  if (file !== undefined) {
    const writing = (stop?: AbortSignal): Promise<T> => writingFile(file, step, stop);
    return signals === undefined ? writing() : runStoppable(signals, writing);
  }
  try {
    return await step((text) => writeStream(stdout, asText(text)));
  } catch (error) {
    if (error instanceof ReaderLeft) return undefined;
    throw error;
  }
}

function asText(text: string | Uint8Array): string {
  return typeof text === "string" ? text : decodeUtf8(text);
}

async function writeStream(stdout: TextOutput, text: string): Promise<void> {
  if (stdout.write(text) !== false || !isEmitter(stdout)) return;
  const left = new AbortController();
  const { signal } = left;
  try {
    const drained = once(stdout, "drain", { signal }).then(() => true);
    const closed = once(stdout, "close", { signal }).then(() => false);
    if (await Promise.race([drained, closed.catch(() => false)])) return;
  } catch {
    // An error of the stream means that its reader is gone.
  } finally {
    left.abort();
  }
  throw new ReaderLeft();
}

async function writingFile<T>(
  file: string,
  step: (write: WriteText) => Promise<T>,
  stop?: AbortSignal,
): Promise<T> {
  const kind = await failing(file, () => kindOf(file));
  if (kind === "directory") throw writeError(file, new Error("it is a directory; name a file"));
  if (kind === "other") return writingInto(file, step);
  // If the file is a link, it stays one, and its target is replaced.
  const target = kind === "file" ? await failing(file, () => realpath(file)) : file;
  // A killed process may have left such a file, and in a container the next process has the same id.
  const partial = `${target}.${process.pid}-${randomBytes(4).toString("hex")}.part`;
  const handle = await failing(file, () => open(partial, "wx", 0o600));
  try {
    const result = await step(async (text) => {
      stop?.throwIfAborted();
      await failing(file, () => handle.writeFile(text));
    });
    stop?.throwIfAborted();
    await failing(file, () => handle.sync());
    await handle.close();
    await failing(file, () => rename(partial, target));
    return result;
  } catch (error) {
    await handle.close().catch(() => {});
    await rm(partial, { force: true });
    throw error;
  }
}

/** Writes into a device or a pipe, which no file may replace. */
async function writingInto<T>(file: string, step: (write: WriteText) => Promise<T>): Promise<T> {
  const handle = await failing(file, () => open(file, "w"));
  try {
    return await step(async (text) => {
      await failing(file, () => handle.writeFile(text));
    });
  } finally {
    await handle.close();
  }
}

async function kindOf(path: string): Promise<"directory" | "file" | "none" | "other"> {
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) return "directory";
    return stats.isFile() ? "file" : "other";
  } catch (error) {
    if (codeOf(error) === "ENOENT") return "none";
    throw error;
  }
}

async function failing<T>(file: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    throw writeError(file, error);
  }
}
