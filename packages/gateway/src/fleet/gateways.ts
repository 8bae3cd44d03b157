import {
  component,
  dateTime,
  flag,
  members,
  oneOf,
  type Static,
  text,
} from "@touchstone/util/schema";

/** A gateway's last report about itself in the store that it shares with others, compared with theirs. */
export const GATEWAY = component(
  "Gateway",
  members({
    id: text("ULID, made when it started."),
    host: text("The machine's name."),
    version: text(),
    configuration: text("Hash of the configuration in force there."),
    listen: text("HOST:PORT."),
    startedAt: dateTime(),
    /** By the store's clock, like `startedAt`. */
    seenAt: dateTime(),
    /** `silent`: no report for {@link SILENT_AFTER_S}; the gateway was killed, or cannot reach the store. */
    state: oneOf(["running", "silent"]),
    /** Whether it runs with another configuration than the reference. */
    differs: flag,
  }),
);
export type ComparedGateway = Static<typeof GATEWAY>;
export type KnownGateway = Omit<ComparedGateway, "differs">;

/** How often a gateway reports that it runs, in milliseconds. */
export const HEARTBEAT_MS = 10_000;
/** After how many seconds without a report a gateway counts as silent. */
export const SILENT_AFTER_S = 60;

/** All known gateways that share a store. */
export interface Fleet {
  /** The reference hash. */
  readonly configuration: string;
  /** The hash that more than half of the running ones have; null if there is none. */
  readonly majority: string | null;
  /** By host, then address. */
  readonly gateways: readonly ComparedGateway[];
}

/**
 * Reports which gateways run with another configuration. Silent gateways do not count: their current configuration is
 * unknown. Pure.
 * @param configuration the reference hash
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
