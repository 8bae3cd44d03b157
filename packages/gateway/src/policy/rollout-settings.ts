import { type Excuses, excusesOf, type SettingsByPlace } from "./excuses.ts";
import type { Direction, Mode, ValidationSettings } from "./settings.ts";

/** What strict blocks of a tool besides issues, and the modes in force. */
export interface PlacedModes {
  /** Undefined: any server. */
  readonly server: string | undefined;
  /** Undefined: any tool. */
  readonly tool: string | undefined;
  /** Absent if the settings are not in force: records then show the modes. */
  readonly modes?: Readonly<Record<Direction, Mode>>;
  /** Whether strict blocks results without structured content (`missing_structured_content`). */
  readonly blocksMissing: boolean;
  /** The directions whose unusable schemas block calls in strict (`on_invalid_schema`). */
  readonly blocksUnusable: readonly Direction[];
}

/** What a rollout judges records by: plain data, so that a thread can receive it. */
export interface RolloutSettings {
  readonly excuses: Excuses;
  /** The most specific entry applies to a tool: its own, or its server's, or the one for all servers. */
  readonly modes: readonly PlacedModes[];
}

/** A rollout without a configuration: nothing is excused, and the defaults decide. */
export const NO_SETTINGS: RolloutSettings = { excuses: [], modes: [] };

/**
 * Returns what a rollout judges by.
 * @param inForce whether the gateway runs with these settings; false if they are only considered
 */
export function rolloutSettings(config: SettingsByPlace, inForce: boolean): RolloutSettings {
  const placed = (
    server: string | undefined,
    tool: string | undefined,
    { input, output, protocol }: ValidationSettings,
  ): PlacedModes => ({
    server,
    tool,
    blocksMissing: output.missingStructuredContent === "block",
    blocksUnusable: [
      ...(input.onInvalidSchema === "block" ? (["input"] as const) : []),
      ...(output.onInvalidSchema === "block" ? (["output"] as const) : []),
    ],
    ...(inForce && {
      modes: { input: input.mode, output: output.mode, protocol: protocol.mode },
    }),
  });
  const modes = config.servers.flatMap(({ name, settings, tools }) => [
    ...[...tools].map(([tool, own]) => placed(name, tool, own)),
    placed(name, undefined, settings),
  ]);
  // The records of other servers show their modes: other gateways run them.
  const { modes: _, ...others } = placed(undefined, undefined, config.settings);
  return { excuses: excusesOf(config), modes: [...modes, others] };
}

/** Returns a function that returns the entry that applies to a tool. */
export function modesOf({
  modes,
}: RolloutSettings): (server: string | null, tool: string | null) => PlacedModes | undefined {
  const keyOf = (server: string | null | undefined, tool: string | null | undefined): string =>
    JSON.stringify([server, tool]);
  // Of entries for the same place, the first one.
  const placed = new Map([...modes].reverse().map((each) => [keyOf(each.server, each.tool), each]));
  return (server, tool) =>
    placed.get(keyOf(server, tool)) ??
    placed.get(keyOf(server, null)) ??
    placed.get(keyOf(null, null));
}
