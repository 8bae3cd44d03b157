import type { Frame } from "@touchstone/protocol";
import type { Operation, Peer, ServerTelemetry, Speaker } from "../telemetry/telemetry.ts";
import { type Awaitable, whenReady } from "./awaitable.ts";
import { BoundedMap } from "./bounded-map.ts";

/** Requests of a server's own that are followed at a time; older ones are not told of. */
const MAX_ASKED = 1_000;

interface Passed {
  readonly onward?: Uint8Array;
  readonly back?: readonly Uint8Array[];
}

/** Follows what becomes of a frame; gives the very same passage. */
export type Follow = <P extends Passed>(passage: Awaitable<P>) => Awaitable<P>;

/** What telemetry follows of one conversation. It looks on, and changes nothing. */
export class Operations {
  readonly #telemetry: ServerTelemetry;
  readonly #speaker: Speaker;
  /** Of frames that are on their way through the pipeline. */
  readonly #byFrame: Map<Frame, Operation> = new Map();
  /** The server's own requests that wait for the client's answer, by id. */
  readonly #asked: BoundedMap<string, Operation> = new BoundedMap(MAX_ASKED);

  constructor(telemetry: ServerTelemetry, speaker: Speaker) {
    this.#telemetry = telemetry;
    this.#speaker = speaker;
  }

  /** The operation that a frame began. */
  of(frame: Frame): Operation | undefined {
    return this.#byFrame.get(frame);
  }

  /** Takes note of a frame as it comes. */
  open(from: Peer, frame: Frame): Follow | undefined {
    const operation = this.#telemetry.begin(from, frame, this.#speaker);
    if (operation === undefined) return from === "client" ? this.#answer(frame) : undefined;
    this.#byFrame.set(frame, operation);
    const key = from === "server" && frame.kind === "request" ? frame.idKey : undefined;
    return (passage) =>
      whenReady(passage, (passed) => {
        this.#byFrame.delete(frame);
        operation.passed(passed);
        if (key !== undefined && passed.onward !== undefined) this.#asked.set(key, operation);
        return passed;
      });
  }

  /** The client's answer to a request of the server's own. */
  #answer(frame: Frame): Follow | undefined {
    const operation = this.#asked.take(frame.idKey ?? "");
    if (operation === undefined) return undefined;
    operation.answered(frame);
    return (passage) =>
      whenReady(passage, (passed) => {
        if (passed.onward !== undefined) operation.released(passed.onward, frame);
        else operation.failed("refused");
        return passed;
      });
  }
}
