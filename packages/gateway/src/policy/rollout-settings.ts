import { type Excuses, excusesOf, type SettingsByPlace } from "./excuses.ts";
import { type LooksFor, looksFor } from "./looked-for.ts";
import {
  DEFAULT_SETTINGS,
  type Direction,
  type Mode,
  type SchemaCheckSettings,
  type ValidationSettings,
} from "./settings.ts";

/** What strict blocks of a tool besides issues, and the modes in force. */
export interface PlacedModes {
  /** Undefined: any server. */
  readonly server: string | undefined;
  /** Undefined: any tool. */
  readonly tool: string | undefined;
  /** Absent if the settings are not in force: records then show the modes. */
  readonly modes?: Readonly<Record<Direction, Mode>>;
  /** What checks look for. Undefined if that is unknown: then a tool's newest record shows it. */
  readonly looksFor?: LooksFor | undefined;
  /** Whether strict blocks results without structured content (`missing_structured_content`). */
  readonly blocksMissing: boolean;
  /** What strict does if a schema cannot be used (`on_invalid_schema`). */
  readonly onInvalidSchema: Readonly<
    Record<"input" | "output", SchemaCheckSettings["onInvalidSchema"]>
  >;
}

/** What a rollout judges records by: plain data, so that a thread can receive it. */
export interface RolloutSettings {
  readonly excuses: Excuses;
  /** The most specific entry applies to a tool: its own, or its server's, or the one for all servers. */
  readonly modes: readonly PlacedModes[];
}

/**
 * Returns what a rollout judges by.
 * @param inForce whether the gateway runs with these settings; false if they are only considered
 */
export function rolloutSettings(config: SettingsByPlace, inForce: boolean): RolloutSettings {
  const placed = (
    server: string,
    tool: string | undefined,
    settings: ValidationSettings,
  ): PlacedModes => {
    const { input, output, protocol } = settings;
    const modes = { input: input.mode, output: output.mode, protocol: protocol.mode };
    const looks = { looksFor: looksFor(settings) };
    return { server, tool, ...looks, ...blocks(settings), ...(inForce && { modes }) };
  };
  const modes = config.servers.flatMap(({ name, settings, tools }) => [
    ...[...tools].map(([tool, own]) => placed(name, tool, own)),
    placed(name, undefined, settings),
  ]);
  const others = {
    ...ofOthers(config.settings),
    ...(!inForce && { looksFor: looksFor(config.settings) }),
  };
  return { excuses: excusesOf(config), modes: [...modes, others] };
}

function blocks({
  input,
  output,
}: ValidationSettings): Pick<PlacedModes, "blocksMissing" | "onInvalidSchema"> {
  return {
    blocksMissing: output.missingStructuredContent === "block",
    onInvalidSchema: { input: input.onInvalidSchema, output: output.onInvalidSchema },
  };
}

/** The records of other servers show their modes: other gateways run them. */
function ofOthers(settings: ValidationSettings): PlacedModes {
  return { server: undefined, tool: undefined, ...blocks(settings) };
}

/** A rollout without a configuration: nothing is excused, and the defaults decide. */
export const NO_SETTINGS: RolloutSettings = { excuses: [], modes: [ofOthers(DEFAULT_SETTINGS)] };

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
