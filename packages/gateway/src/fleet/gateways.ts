/** A gateway as it last told about itself in the store that it shares with others. */
export interface KnownGateway {
  /** ULID, made when it started. */
  readonly id: string;
  /** The machine's name. */
  readonly host: string;
  /** Of Touchstone. */
  readonly version: string;
  /** Hash of the configuration that holds there. */
  readonly configuration: string;
  /** `HOST:PORT` that it listens on. */
  readonly listen: string;
  /** RFC 3339, by the store's clock, as `seenAt`. */
  readonly startedAt: string;
  readonly seenAt: string;
  /** `silent`: it told nothing for {@link SILENT_AFTER_S}; it was killed, or is cut off. */
  readonly state: "running" | "silent";
}

/** How often a gateway tells that it runs, in milliseconds. */
export const HEARTBEAT_MS = 10_000;
/** After how long one that tells nothing is treated as gone, in seconds. */
export const SILENT_AFTER_S = 60;

/** A known gateway, beside the others. */
export interface ComparedGateway extends KnownGateway {
  /** Whether it runs with another configuration than the one that was asked for. */
  readonly differs: boolean;
}

/** What is known of all gateways that share a store. */
export interface Fleet {
  /** The hash that the gateways are compared with. */
  readonly configuration: string;
  /** The hash that more than half of those that run have; null if none has this many. */
  readonly majority: string | null;
  /** By host, then address. */
  readonly gateways: readonly ComparedGateway[];
}

/**
 * Reports which gateways run with another configuration. One that is silent does not count: what it
 * would do now nobody knows. Pure.
 * @param configuration the hash that is asked for
 */
export function compareGateways(gateways: readonly KnownGateway[], configuration: string): Fleet {
  const running = gateways.filter(({ state }) => state === "running");
  const counts = new Map<string, number>();
  for (const { configuration: hash } of running) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  const [majority] = [...counts].find(([, count]) => count * 2 > running.length) ?? [];
  const compared = gateways.map((gateway) => ({
    ...gateway,
    differs: gateway.state === "running" && gateway.configuration !== configuration,
  }));
  const place = ({ host, listen, id }: KnownGateway): string => `${host}\n${listen}\n${id}`;
  return {
    configuration,
    majority: majority ?? null,
    gateways: compared.sort((a, b) => (place(a) < place(b) ? -1 : 1)),
  };
}
