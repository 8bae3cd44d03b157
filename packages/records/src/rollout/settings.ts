import type { Direction, Mode } from "../record.ts";
import type { CurrentCheckScope } from "./check-scope.ts";
import type { Exemptions } from "./exemption.ts";

/** Whether strict blocks calls whose schema cannot be used. */
export interface UnusableSchemaBlocking {
  /** Whether it does if the schema refers to another document. */
  readonly external: boolean;
  /** Whether it does if the schema cannot be used for another reason. */
  readonly others: boolean;
}

/**
 * How settings apply to recorded calls.
 *
 * - `in_force`: this gateway runs the server with them
 * - `considered`: an operator wants to know what they would do
 * - `assumed`: another process ran the server, and options of its command line, or another file, may have set others
 */
export type SettingsBasis = "in_force" | "considered" | "assumed";

/** What strict blocks besides issues, for a tool, and the modes in force. */
export interface PlacedModes {
  /** Undefined: any server. */
  readonly server: string | undefined;
  /** Undefined: any tool. */
  readonly tool: string | undefined;
  readonly basis: SettingsBasis;
  /** Undefined if they are unknown. Only modes in force override those in records. */
  readonly modes?: Readonly<Record<Direction, Mode>> | undefined;
  /** What checks look for. Undefined if unknown: a tool's newest record then shows it. */
  readonly looksFor?: CurrentCheckScope | undefined;
  /** Whether strict blocks results without structured content. Undefined if unknown: each record then shows it. */
  readonly blocksMissing: boolean | undefined;
  readonly blocksUnusable: Readonly<Record<"input" | "output", UnusableSchemaBlocking>>;
}

/** The settings that a rollout compares records with: plain data, so that a thread can receive it. */
export interface RolloutSettings {
  readonly excuses: Exemptions;
  /** The most specific entry applies to a tool: its own, or its server's, or the one for all servers. */
  readonly modes: readonly PlacedModes[];
}

/** A rollout without a configuration: nothing is exempt, and unusable schemas are blocked as in the default. */
export const NO_SETTINGS: RolloutSettings = {
  excuses: [],
  modes: [
    {
      server: undefined,
      tool: undefined,
      basis: "assumed",
      blocksMissing: undefined,
      blocksUnusable: {
        input: { external: true, others: true },
        output: { external: true, others: false },
      },
    },
  ],
};

/** Returns a function that returns the entry that applies to a tool. */
export function modesOf({
  modes,
}: RolloutSettings): (server: string | null, tool: string | null) => PlacedModes | undefined {
  const keyOf = (server: string | null | undefined, tool: string | null | undefined): string =>
    JSON.stringify([server, tool]);
  // If several entries are for the same place, the first one applies.
  const placed = new Map([...modes].reverse().map((each) => [keyOf(each.server, each.tool), each]));
  return (server, tool) =>
    placed.get(keyOf(server, tool)) ??
    placed.get(keyOf(server, null)) ??
    placed.get(keyOf(null, null));
}

/**
 * Returns the servers for which the settings prove that strict would now block what it forwarded; undefined: all
 * servers. Calls in another process were forwarded by settings that may differ.
 */
export function serversWithKnownSettings({
  modes,
}: RolloutSettings): readonly string[] | undefined {
  const certain = modes.filter(({ basis }) => basis !== "assumed");
  if (certain.some(({ server }) => server === undefined)) return undefined;
  return [...new Set(certain.flatMap(({ server }) => server ?? []))];
}
