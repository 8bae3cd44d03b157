import type { Frame } from "@touchstone/protocol";
import type { ServerConfig } from "../../config/config.ts";
import type { CheckFact, Operation, Peer, Speaker } from "../../pipeline/tap.ts";
import type { AlertEvent } from "../../settings/schema.ts";

export type {
  CallFacts,
  CheckFact,
  Failure,
  Operation,
  Peer,
  Speaker,
} from "../../pipeline/tap.ts";

/**
 * Takes facts from the road that messages go. Nothing in here changes a message, waits, or throws;
 * if no telemetry is configured there is no such object, and the road asks one `undefined`.
 */
export interface Telemetry {
  /** What is told about one server. */
  server(place: ServerPlace): ServerTelemetry;
  /** A schema was read and built, in milliseconds; not what came from the cache. */
  compiled(milliseconds: number): void;
  /** An alert was sent, or was not. */
  alerted(when: AlertEvent, outcome: AlertOutcome): void;
  /** Where the number of compiled schemas is to be had. */
  watchCache(cache: { readonly size: number }): void;
  /** Answers `GET /metrics`; absent if that is not configured. */
  readonly metrics?: (request: Request) => Promise<Response>;
  /** Sends what has been gathered: two seconds at most, after eight at most to load. Never rejects. */
  close(): Promise<void>;
}

/** What became of an alert. `suppressed`: within its `min_interval`. `dropped`: too many waited. */
export type AlertOutcome = "sent" | "failed" | "dropped" | "suppressed";

/** How messages come and go; the `network.transport` of OpenTelemetry. */
export type Transport = "pipe" | "tcp";

/** Between whom the gateway stands. */
export interface ServerPlace {
  /** The server's name in the configuration. */
  readonly name: string;
  /** The transport towards clients. */
  readonly client: Transport;
  /** The transport towards the server, and where it is. */
  readonly upstream: {
    readonly transport: Transport;
    readonly address?: string;
    readonly port?: number;
  };
}

/** What is told about one server and its clients. Times are milliseconds on one monotonic clock. */
export interface ServerTelemetry {
  now(): number;
  /**
   * A request or notification has come; undefined for what is neither.
   * @param from who sent it
   */
  begin(from: Peer, frame: Frame, who: Speaker): Operation | undefined;
  /** A check has ended. @returns when */
  checked(check: CheckFact): number;
  /**
   * Records were appended, or could not be.
   * @param began when that was begun
   */
  appended(began: number | undefined): void;
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

/** Returns where a server is, without what its URL may hold beside host and port. */
export function upstreamPlace(
  upstream: ServerConfig["upstream"] | undefined,
): ServerPlace["upstream"] {
  if (upstream?.type !== "http") return { transport: "pipe" };
  if (!URL.canParse(upstream.url)) return { transport: "tcp" };
  const { hostname, port, protocol } = new URL(upstream.url);
  const number = port === "" ? DEFAULT_PORTS[protocol] : Number(port);
  return {
    transport: "tcp",
    address: hostname,
    ...(number === undefined ? {} : { port: number }),
  };
}
