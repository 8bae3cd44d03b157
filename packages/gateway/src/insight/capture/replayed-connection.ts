import { batchItems, type Frame } from "@touchstone/protocol/advanced";
import { joinBatch } from "@touchstone/util";
import type { Pipeline } from "../../pipeline/pipeline.ts";

/**
 * One conversation of a capture. If a message is blocked in the replay, its response in the capture is skipped,
 * because the server would not have received the request.
 */
export class ReplayedConnection {
  readonly #pipeline: Pipeline;
  /** Ids of requests that were not forwarded to the server. */
  readonly #stopped: Set<string> = new Set();

  constructor(pipeline: Pipeline) {
    this.#pipeline = pipeline;
  }

  /** Sets the revision that a transport reported. */
  agree(revision: string | undefined): void {
    if (revision !== undefined) this.#pipeline.conversation.revision ??= revision;
  }

  /** Checks one frame. Resolves when its records are written. */
  async take(from: "client" | "server", bytes: Uint8Array): Promise<void> {
    const frame = this.#pipeline.read(bytes);
    if (from === "client") {
      const { passage } = await this.#pipeline.fromClient(frame);
      const { onward } = await passage;
      if (onward !== frame.bytes) this.#stop(frame, onward);
      return;
    }
    const left = this.#stopped.size === 0 ? frame : this.#withoutStopped(frame);
    if (left !== undefined) await this.#pipeline.fromServer(left);
  }

  /** Ends it: calls without a response in the capture get their records. */
  async end(): Promise<void> {
    await this.#pipeline.end("the capture ends");
  }

  #stop(frame: Frame, onward: Uint8Array | undefined): void {
    const kept = new Set(
      onward === undefined ? [] : this.#messages(this.#pipeline.read(onward)).map(keyOf),
    );
    for (const message of this.#messages(frame)) {
      const key = keyOf(message);
      if (message.kind === "request" && key !== undefined && !kept.has(key)) this.#stopped.add(key);
    }
  }

  /** Returns a server's frame without the responses to requests that the replay blocked. */
  #withoutStopped(frame: Frame): Frame | undefined {
    const messages = this.#messages(frame);
    const left = messages.filter((message) => {
      if (message.kind !== "response" && message.kind !== "error") return true;
      return !this.#stopped.delete(keyOf(message) ?? "");
    });
    if (left.length === messages.length) return frame;
    if (left.length === 0) return undefined;
    return this.#pipeline.read(joinBatch(left.map(({ bytes }) => bytes)));
  }

  /** Returns the messages of a batch; of any other frame, the frame itself. */
  #messages(frame: Frame): readonly Frame[] {
    const items = [...batchItems(frame)];
    if (items.length === 0) return [frame];
    return items.map(({ start, end }) => this.#pipeline.read(frame.bytes.subarray(start, end)));
  }
}

function keyOf({ idKey }: Frame): string | undefined {
  return idKey;
}
