import type {
  PlacedModes,
  RolloutSettings,
  SettingsBasis,
  UnusableSchemaBlocking,
} from "@touchstone/records/plain";
import { blocksUnusable } from "../features/invalid-schemas/decide.ts";
import type { SchemaCheckSettings, ValidationSettings } from "../settings/validation.ts";
import { checkScopeOf } from "./check-scope.ts";
import { exemptionsOf, type SettingsByLevel } from "./exemptions.ts";

/**
 * Returns the settings by which a rollout report decides.
 * @param basis `in_force` for the settings of a running gateway: those of servers that it does not run are assumed
 */
export function rolloutSettings(config: SettingsByLevel, basis: SettingsBasis): RolloutSettings {
  const modes = config.servers.flatMap(({ name: server, settings, tools, upstream }) => {
    const isElsewhere = basis === "in_force" && upstream?.type === "wrap";
    const own = isElsewhere ? "assumed" : basis;
    return [
      ...[...tools].map(([tool, its]) => ({ server, tool, ...placed(its, own) })),
      { server, tool: undefined, ...placed(settings, own) },
    ];
  });
  return { excuses: exemptionsOf(config), modes: [...modes, ofOthers(config.settings, basis)] };
}

function placed(
  settings: ValidationSettings,
  basis: SettingsBasis,
): Omit<PlacedModes, "server" | "tool"> {
  const { input, output, protocol } = settings;
  const modes = { input: input.mode, output: output.mode, protocol: protocol.mode };
  return { basis, modes, looksFor: checkScopeOf(settings), ...blocks(settings) };
}

/** A running gateway does not know the settings of other servers: other gateways run them, with their own files. */
function ofOthers(settings: ValidationSettings, basis: SettingsBasis): PlacedModes {
  const any = { server: undefined, tool: undefined };
  if (basis === "in_force") return { ...any, basis: "assumed", ...blocks(settings) };
  return { ...any, ...placed(settings, basis) };
}

function blocks({
  input,
  output,
}: ValidationSettings): Pick<PlacedModes, "blocksMissing" | "blocksUnusable"> {
  return {
    blocksMissing: output.missingStructuredContent === "block",
    blocksUnusable: { input: unusable(input), output: unusable(output) },
  };
}

function unusable({ onInvalidSchema }: SchemaCheckSettings): UnusableSchemaBlocking {
  const strict = { mode: "strict", onInvalidSchema } as const;
  return { external: blocksUnusable(strict, true), others: blocksUnusable(strict, false) };
}
