import { batchItems, type Frame } from "@touchstone/protocol";
import { joinBatch } from "../../pipeline/batch.ts";
import type { Pipeline } from "../../pipeline/pipeline.ts";

/**
 * One conversation of a capture. What is blocked now was answered then: such responses are read over,
 * since the server would not have been asked.
 */
export class ReplayedConnection {
  readonly #pipeline: Pipeline;
  /** Ids of requests that did not go on to the server. */
  readonly #stopped: Set<string> = new Set();

  constructor(pipeline: Pipeline) {
    this.#pipeline = pipeline;
  }

  /** Takes over the revision that a transport had told. */
  agree(revision: string | undefined): void {
    if (revision !== undefined) this.#pipeline.conversation.revision ??= revision;
  }

  /** Checks one frame. Resolves when its records are handed over. */
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

  /** Ends it: calls that the capture has no response to get their records. */
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

  /** A server's frame without the responses to requests that were stopped. */
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

  /** The messages of a batch; of any other frame, itself. */
  #messages(frame: Frame): readonly Frame[] {
    const items = [...batchItems(frame)];
    if (items.length === 0) return [frame];
    return items.map(({ start, end }) => this.#pipeline.read(frame.bytes.subarray(start, end)));
  }
}

function keyOf({ idKey }: Frame): string | undefined {
  return idKey;
}
