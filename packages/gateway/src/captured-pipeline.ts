import type { CutMessage, Frame } from "@touchstone/protocol";
import type { BoundedMap } from "./bounded-map.ts";
import type { Ask } from "./contracts/ask.ts";
import { type Awaitable, whenReady } from "./pipeline/awaitable.ts";
import type { Conversation, PipelineContext } from "./pipeline/context.ts";
import type { TimedOut } from "./pipeline/expiry.ts";
import type { Passage } from "./pipeline/state.ts";
import { type Flow, Pipeline } from "./pipeline.ts";

/** Who a frame comes from, or goes to. */
export type Party = "client" | "server" | "gateway";

/** Takes the frames of one conversation as they pass. Neither throws nor waits. */
export interface Tap {
  /**
   * @param bytes copied at once
   * @param answers the method of the gateway's own request that they answer
   */
  frame(from: Party, to: Party, bytes: Uint8Array, answers?: string): void;
  /** A frame of which only the ends were kept. */
  oversize(from: Party, bytes: number): void;
}

/** A file that frames are written to. */
export interface Capture {
  /** Begins to take the frames of a conversation. */
  tap(server: string, conversation: Conversation): Tap;
  /** Writes what waits, 10 s at most, and closes the file. */
  close(): Promise<void>;
}

/**
 * A pipeline that shows every frame to a capture: as it came, before it is judged, and behind it
 * what the gateway sent of its own.
 */
export class CapturedPipeline extends Pipeline {
  readonly #tap: Tap;

  constructor(
    tap: Tap,
    context: PipelineContext,
    conversation: Conversation,
    ask: Ask,
    diagnosed?: BoundedMap<string, true>,
  ) {
    const heard: Ask = async (method, params) => {
      const answer = await ask(method, params);
      tap.frame("server", "gateway", answer, method);
      return answer;
    };
    super(context, conversation, heard, diagnosed);
    this.#tap = tap;
  }

  override fromClient(...came: Parameters<Pipeline["fromClient"]>): Flow {
    const [frame, timedOut, transport] = came;
    this.#tap.frame("client", "server", frame.bytes);
    const told: TimedOut | undefined =
      timedOut === undefined
        ? undefined
        : (answer, cancellation) => {
            this.#tap.frame("gateway", "client", answer);
            this.#tap.frame("gateway", "server", cancellation);
            timedOut(answer, cancellation);
          };
    const flow = super.fromClient(frame, told, transport);
    const shown = ({ ...taken }: Flow): Flow => ({
      ...taken,
      passage: whenReady(taken.passage, (came) => this.#own(frame, came, "server", "client")),
    });
    if (flow.later === undefined) return shown(flow);
    const later = flow.later.then(shown);
    return { ...flow, later, passage: later.then((taken) => taken.passage) };
  }

  override fromServer(...came: Parameters<Pipeline["fromServer"]>): Awaitable<Passage> {
    const [frame] = came;
    this.#tap.frame("server", "client", frame.bytes);
    const passage = super.fromServer(...came);
    return whenReady(passage, (came) => this.#own(frame, came, "client", "server"));
  }

  override async oversize(
    from: "client" | "server",
    cut: CutMessage,
    limit: number,
    answers?: readonly string[],
  ): Promise<Passage> {
    this.#tap.oversize(from, cut.size);
    const to = from === "client" ? "server" : "client";
    return this.#own(undefined, await super.oversize(from, cut, limit, answers), to, from);
  }

  override async unreadable(...what: Parameters<Pipeline["unreadable"]>): Promise<Passage> {
    return this.#own(undefined, await super.unreadable(...what), "client", "server");
  }

  override async end(...how: Parameters<Pipeline["end"]>): Promise<readonly Uint8Array[]> {
    const answers = await super.end(...how);
    for (const answer of answers) this.#tap.frame("gateway", "client", answer);
    return answers;
  }

  override async fail(...which: Parameters<Pipeline["fail"]>): Promise<Uint8Array | undefined> {
    const answer = await super.fail(...which);
    if (answer !== undefined) this.#tap.frame("gateway", "client", answer);
    return answer;
  }

  /** Shows what stands in a frame's place, and what goes back. */
  #own(
    frame: Frame | undefined,
    passage: Passage,
    onward: "client" | "server",
    back: "client" | "server",
  ): Passage {
    if (passage.onward !== undefined && passage.onward !== frame?.bytes) {
      this.#tap.frame("gateway", onward, passage.onward);
    }
    for (const answer of passage.back ?? []) this.#tap.frame("gateway", back, answer);
    return passage;
  }
}
