import type { Readable, Writable } from "node:stream";
import { untilAborted } from "@touchstone/util";
import { ClientInput } from "../transport/stdio/client-input.ts";
import { LineWriter } from "../transport/stdio/lines.ts";
import { MockConversation } from "./conversation.ts";
import type { AnsweringServer } from "./mock-server.ts";

/** Longest message of a client, in bytes. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The streams of a client. */
export interface ClientStreams {
  readonly input: Readable;
  readonly output: Writable;
  /** Ends the conversation. */
  readonly signal: AbortSignal;
}

/** Serves one client on two streams. Resolves when it has left, or the signal is aborted, and all responses are written. */
export async function serveStdio(server: AnsweringServer, streams: ClientStreams): Promise<void> {
  const { input, output, signal } = streams;
  let leave: () => void = () => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  output.on("error", leave);
  const writer = new LineWriter(output, left);
  const conversation = new MockConversation(server);
  const working = new Set<Promise<void>>();
  let isFull = false;
  let isCut = false;
  const send = (message: Uint8Array): void => {
    const room = writer.write(message);
    // A client that reads nothing is not read either.
    if (isFull || !output.writableNeedDrain) return;
    isFull = true;
    lines.pause();
    void room.then(() => {
      isFull = false;
      lines.resume();
    });
  };
  const client = {
    notify: send,
    respond: send,
    cut: (beginning: Uint8Array): void => {
      send(beginning);
      isCut = true;
      leave();
    },
  };
  const lines = new ClientInput(input, MAX_BYTES, {
    left: leave,
    line: (line) => {
      if (line.kind === "oversize") return;
      const work = conversation.take(line.bytes, client);
      if (work === undefined) return;
      working.add(work);
      void work.finally(() => working.delete(work));
    },
  });
  const unwatch = server.watchTools(() => conversation.toolsChanged().forEach(send));
  await Promise.race([left, untilAborted(signal)]);
  lines.stop();
  if (signal.aborted || isCut) server.stop();
  await Promise.all(working);
  unwatch();
  writer.flush();
}
