// The thread that writes a capture. Started by `openCapture` only.
import { fsyncSync, writeSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { messageOf } from "@touchstone/core/plain";
import { rememberSecret } from "@touchstone/util";
import { frameLine, type LostFrames, lostFramesLine, oversizeLine } from "./line.ts";
import type { FromWriter, ToWriter, WriterStart } from "./messages.ts";

/** A message that becomes a line. */
type Line = Exclude<ToWriter, { kind: "close" | "secrets" }>;

const { fd } = workerData as WriterStart;
/** Frames that were lost until there is room again. */
let lost: LostFrames | undefined;
/** Whether the file ends in half a line. */
let torn = false;

function write(text: string): void {
  const bytes = Buffer.from(text);
  let at = 0;
  while (at < bytes.length) {
    at += writeSync(fd, bytes, at);
    torn = at < bytes.length;
  }
}

function append(line: string): void {
  // A reader of the file then finds one broken line, but no valid message appended to that line.
  if (torn) write("\n");
  write(line);
}

function lineOf(message: Line): string {
  switch (message.kind) {
    case "frame":
      return frameLine(message.frame, message.bytes);
    case "oversize":
      return oversizeLine(message.frame, message.bytes);
    case "lost":
      return lostFramesLine(message.time, message.lost);
  }
}

function missed(message: Line, reason: string): void {
  const { frames, bytes, since } =
    message.kind === "lost"
      ? message.lost
      : {
          frames: 1,
          bytes: message.kind === "frame" ? message.bytes.length : 0,
          since: message.frame.time,
        };
  lost = {
    frames: (lost?.frames ?? 0) + frames,
    bytes: (lost?.bytes ?? 0) + bytes,
    since: lost?.since ?? since,
    reason,
  };
}

function take(message: Line): FromWriter {
  try {
    if (lost !== undefined) append(lostFramesLine(new Date().toISOString(), lost));
    lost = undefined;
    append(lineOf(message));
    return {};
  } catch (error) {
    const failed = messageOf(error);
    missed(message, failed);
    return { failed };
  }
}

function close(): void {
  try {
    if (lost !== undefined) append(lostFramesLine(new Date().toISOString(), lost));
    fsyncSync(fd);
  } catch {
    // A full disk, or a device that cannot be synced. The loss was already reported.
  } finally {
    parentPort?.close();
  }
}

parentPort?.on("message", (message: ToWriter) => {
  if (message.kind === "close") close();
  else if (message.kind === "secrets") message.secrets.forEach(rememberSecret);
  else parentPort?.postMessage(take(message));
});
