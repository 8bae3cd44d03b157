import type { Frame } from "@touchstone/protocol/advanced";
import { parseUrl } from "@touchstone/util";
import type { ServerConfig } from "../../config/config.ts";
import type { AlertEvent } from "../../features/alerts/events.ts";
import type { CheckFact, ConversationPeers, Peer, TapOperation } from "../../pipeline/tap.ts";

export type {
  CallFacts,
  CheckFact,
  ConversationPeers,
  OperationFailure,
  Peer,
  TapOperation,
} from "../../pipeline/tap.ts";

/**
 * Collects facts from the pipeline. Nothing here changes a message, waits, or throws. Without telemetry this object
 * does not exist, and the pipeline only compares with `undefined`.
 */
export interface Telemetry {
  /** Facts about one server. */
  server(place: ServerAddresses): ServerTelemetry;
  /** A schema was compiled, in milliseconds; not called for one from the cache. */
  compiled(milliseconds: number): void;
  /** An alert was sent, or failed. */
  alerted(when: AlertEvent, outcome: AlertOutcome): void;
  /** Sets where to read the number of compiled schemas. */
  watchCache(cache: { readonly size: number }): void;
  /** Answers `GET /metrics`; absent if it is not configured. */
  readonly metrics?: (request: Request) => Promise<Response>;
  /** Sends the remaining facts: within two seconds, after at most eight seconds for loading. Never rejects. */
  close(): Promise<void>;
}

/** How an alert ended. `suppressed`: within its `min_interval`. `dropped`: too many alerts were waiting. */
export type AlertOutcome = "sent" | "failed" | "dropped" | "suppressed";

/** The transport of messages; OpenTelemetry's `network.transport`. */
export type Transport = "pipe" | "tcp";

/** The two sides of the gateway. */
export interface ServerAddresses {
  /** The server's name in the configuration. */
  readonly name: string;
  /** The transport toward clients. */
  readonly client: Transport;
  /** The transport toward the server, and the server's address. */
  readonly upstream: {
    readonly transport: Transport;
    readonly address?: string;
    readonly port?: number;
  };
}

/** Facts about one server and its clients. Times are milliseconds on one monotonic clock. */
export interface ServerTelemetry {
  now(): number;
  /**
   * A message came. Returns its operation; undefined if it is neither a request nor a notification.
   * @param from who sent it
   */
  begin(from: Peer, frame: Frame, who: ConversationPeers): TapOperation | undefined;
  /** A check has ended. @returns when */
  checked(check: CheckFact): number;
  /**
   * Records were appended, or failed.
   * @param began when the append began
   */
  appended(began: number | undefined): void;
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

/** Returns a server's address: host and port, without the other parts of its URL. */
export function upstreamAddress(
  upstream: ServerConfig["upstream"] | undefined,
): ServerAddresses["upstream"] {
  if (upstream?.type !== "http") return { transport: "pipe" };
  const url = parseUrl(upstream.url);
  if (url === undefined) return { transport: "tcp" };
  const { hostname, port, protocol } = url;
  const number = port === "" ? DEFAULT_PORTS[protocol] : Number(port);
  return {
    transport: "tcp",
    address: hostname,
    ...(number === undefined ? {} : { port: number }),
  };
}
