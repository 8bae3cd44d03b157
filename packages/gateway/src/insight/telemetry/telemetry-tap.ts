import type { Frame } from "@touchstone/protocol/advanced";
import { BoundedMap } from "@touchstone/util";
import type { ServerConfig } from "../../config/config.ts";
import type { CheckFact, ConversationPeers, Peer, Tap, TapOperation } from "../../pipeline/tap.ts";
import {
  type ServerTelemetry,
  type Telemetry,
  type Transport,
  upstreamAddress,
} from "./telemetry.ts";

/** How many of a server's own requests to follow at a time; older ones are not reported. */
const MAX_ASKED = 1_000;

/**
 * Returns a function that makes taps for the conversations with each server.
 * @param client how clients connect
 */
export function telemetryTaps(
  telemetry: Telemetry,
  client: Transport,
): (server: {
  readonly name: string;
  readonly upstream?: ServerConfig["upstream"] | undefined;
}) => (speaker: ConversationPeers) => Tap {
  return ({ name, upstream }) => {
    const server = telemetry.server({ name, client, upstream: upstreamAddress(upstream) });
    return (speaker) => new TelemetryTap(server, speaker);
  };
}

/** Follows the messages of one conversation for telemetry. */
export class TelemetryTap implements Tap {
  readonly #telemetry: ServerTelemetry;
  readonly #speaker: ConversationPeers;
  /** The server's own requests that wait for the client's response, by id. */
  readonly #asked: BoundedMap<string, TapOperation> = new BoundedMap(MAX_ASKED);

  /** @param speaker the two peers; their facts are read as they become known */
  constructor(telemetry: ServerTelemetry, speaker: ConversationPeers) {
    this.#telemetry = telemetry;
    this.#speaker = speaker;
  }

  now(): number {
    return this.#telemetry.now();
  }

  checked(check: CheckFact): number {
    return this.#telemetry.checked(check);
  }

  appended(began: number | undefined): void {
    this.#telemetry.appended(began);
  }

  begin(from: Peer, frame: Frame): TapOperation | undefined {
    const operation = this.#telemetry.begin(from, frame, this.#speaker);
    if (from === "client") return operation ?? this.#responseTo(frame);
    const { idKey, kind } = frame;
    if (operation === undefined || kind !== "request" || idKey === undefined) return operation;
    return derived(operation, (passage) => {
      operation.passed(passage);
      if (passage.onward !== undefined) this.#asked.set(idKey, operation);
    });
  }

  /** Follows the client's response to a server request. */
  #responseTo(frame: Frame): TapOperation | undefined {
    const asked = this.#asked.take(frame.idKey ?? "");
    asked?.answered(frame);
    return (
      asked &&
      derived(asked, ({ onward }) => {
        if (onward === undefined) asked.failed("refused");
        else asked.released(onward, frame);
      })
    );
  }
}

/** Wraps an operation of a message whose result is reported in another way. */
function derived(operation: TapOperation, passed: TapOperation["passed"]): TapOperation {
  return {
    passed,
    about: (call) => operation.about(call),
    answered: (answer, at) => operation.answered(answer, at),
    released: (answer, theirs) => operation.released(answer, theirs),
    failed: (reason, answer) => operation.failed(reason, answer),
  };
}
