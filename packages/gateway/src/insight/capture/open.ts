import { closeSync, fchmodSync, fstatSync, openSync, readSync, statSync, writeSync } from "node:fs";
import type { Worker } from "node:worker_threads";
import { messageOf } from "@touchstone/core/advanced";
import { nextId } from "@touchstone/records/plain";
import { knownSecrets, type Logger, startOwnThread, threadProgram } from "@touchstone/util";
import type { Capture, ConversationPeers, FrameParty } from "../../pipeline/tap.ts";
import { BoundedSender } from "./bounded-sender.ts";
import { CaptureError } from "./errors.ts";
import { type CaptureConnection, startLine } from "./line.ts";
import type { FromWriter, ToWriter, WriterStart } from "./messages.ts";

/** How long the last lines may take to reach the disk when a capture closes, in milliseconds. */
const CLOSE_MS = 10_000;

function startWriter(fd: number): Worker {
  try {
    return startOwnThread(threadProgram("insight/capture/writer-entry", import.meta.url), {
      workerData: { fd } satisfies WriterStart,
    });
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/**
 * Begins a capture: appends JSON Lines to the file, which only its owner can read. A separate thread removes secrets
 * and writes.
 * @throws CaptureError if the file cannot be written, ThreadError if no further thread can start
 */
export function openCapture(file: string, log: Logger): Capture {
  const fd = openFile(file);
  const worker = startWriter(fd);
  worker.unref();
  const ended = new Promise<void>((resolve) => {
    worker.once("exit", () => {
      closeSync(fd);
      resolve();
    });
  });
  let open = true;
  worker.on("error", (error: Error) => {
    open = false;
    log.error("the capture has ended; messages are still forwarded", {
      file,
      reason: error.message,
    });
  });
  let secrets: readonly string[] = [];
  const sender = new BoundedSender({
    log,
    file,
    post: (message) => {
      if (!open) return;
      // The thread itself does not keep the secrets.
      if (secrets !== knownSecrets()) {
        secrets = knownSecrets();
        worker.postMessage({ kind: "secrets", secrets } satisfies ToWriter);
      }
      const moved = message.kind === "frame" ? [message.bytes.buffer as ArrayBuffer] : [];
      worker.postMessage(message satisfies ToWriter, moved);
    },
  });
  worker.on("message", (answer: FromWriter) => sender.written(answer));
  return {
    tap(server, conversation) {
      const connection = nextId(new Date());
      const about = (from: FrameParty, to: FrameParty) => ({
        ...whose(server, connection, conversation),
        ...{ time: new Date().toISOString(), from, to },
        ...(conversation.revision === undefined ? {} : { revision: conversation.revision }),
      });
      return {
        frame(from, to, bytes, answers) {
          if (!open) return;
          const frame = { ...about(from, to), ...(answers === undefined ? {} : { answers }) };
          sender.send({ kind: "frame", frame, bytes: new Uint8Array(bytes) });
        },
        oversize(from, bytes) {
          if (open) sender.send({ kind: "oversize", frame: about(from, "gateway"), bytes });
        },
      };
    },
    async close() {
      if (!open) return;
      sender.tellLost();
      open = false;
      worker.ref();
      worker.postMessage({ kind: "close" } satisfies ToWriter);
      const slow = setTimeout(() => {
        log.error("the end of the capture could not be written in time", { file });
        void worker.terminate();
      }, CLOSE_MS);
      await ended;
      clearTimeout(slow);
    },
  };
}

function whose(
  server: string,
  connection: string,
  { session }: ConversationPeers,
): CaptureConnection {
  return { server, connection, ...(session === undefined ? {} : { session }) };
}

function openFile(file: string): number {
  let fd: number | undefined;
  try {
    const there = statSync(file, { throwIfNoEntry: false });
    // Opening a pipe would wait for its reader.
    if (there !== undefined && !there.isFile() && !there.isCharacterDevice()) {
      throw new Error("it is not a file");
    }
    fd = openSync(file, "a+", 0o600);
    const stat = fstatSync(fd);
    if (!stat.isFile()) return fd;
    fchmodSync(fd, 0o600);
    writeSync(fd, `${endsInLine(fd, stat.size) ? "" : "\n"}${startLine(new Date().toISOString())}`);
    return fd;
  } catch (error) {
    if (fd !== undefined) closeSync(fd);
    const reason = messageOf(error);
    throw new CaptureError("CAPTURE_UNWRITABLE", `cannot write the capture ${file}: ${reason}`, {
      cause: error,
    });
  }
}

/** Returns whether a file is empty or ends with a line feed: a killed process may leave half a line. */
function endsInLine(fd: number, size: number): boolean {
  const last = Buffer.alloc(1);
  return size === 0 || (readSync(fd, last, 0, 1, size - 1) === 1 && last[0] === 0x0a);
}
