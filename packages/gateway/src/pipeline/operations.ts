import type { Frame } from "@touchstone/protocol";
import { BoundedMap } from "../bounded-map.ts";
import type { Operation, Peer, ServerTelemetry, Speaker } from "../telemetry/telemetry.ts";

/** Requests of a server's own that are followed at a time; older ones are not told of. */
const MAX_ASKED = 1_000;

interface Passed {
  readonly onward?: Uint8Array;
  readonly back?: readonly Uint8Array[];
}

/** What telemetry follows of one conversation. It looks on, and changes nothing. */
export class Operations {
  readonly #telemetry: ServerTelemetry;
  readonly #speaker: Speaker;
  /** Of frames that are on their way through the pipeline. */
  readonly #byFrame: WeakMap<Frame, Operation> = new WeakMap();
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

  /**
   * Takes note of a frame as it comes.
   * @returns what is to be told to {@link follow}; undefined where nothing is
   */
  open(from: Peer, frame: Frame): Operation | undefined {
    const operation = this.#telemetry.begin(from, frame, this.#speaker);
    if (operation !== undefined) {
      this.#byFrame.set(frame, operation);
      return operation;
    }
    if (from === "server") return undefined;
    const asked = this.#asked.take(frame.idKey ?? "");
    asked?.answered(frame);
    return asked;
  }

  /** Follows what becomes of the frame of an operation. Resolves to the very same passage. */
  async follow<P extends Passed>(
    operation: Operation,
    from: Peer,
    frame: Frame,
    passage: Promise<P>,
  ): Promise<P> {
    return this.#passed(operation, from, frame, await passage);
  }

  #passed<P extends Passed>(operation: Operation, from: Peer, frame: Frame, passed: P): P {
    // Else it is the client's answer to a request of the server's own.
    if (this.#byFrame.delete(frame)) {
      operation.passed(passed);
      const asks = from === "server" && frame.kind === "request" && passed.onward !== undefined;
      if (asks && frame.idKey !== undefined) this.#asked.set(frame.idKey, operation);
    } else if (passed.onward !== undefined) {
      operation.released(passed.onward, frame);
    } else {
      operation.failed("refused");
    }
    return passed;
  }
}
