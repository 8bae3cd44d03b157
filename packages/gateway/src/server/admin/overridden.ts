import { valueAt } from "@touchstone/core/advanced";
import type { GatewayConfig } from "../../config/config.ts";
import { configAsFile } from "../../config/config-to-file.ts";
import { type ConfigChange, valuesIn } from "../../config/edit/changes.ts";
import { PRESET_NAMES, type PresetName } from "../../features/preset/preset.ts";
import { presetValues } from "../../settings/presets.ts";

/** The sections with settings that command-line options can override. */
const SECTIONS: ReadonlySet<string> = new Set([
  "input_validation",
  "output_validation",
  "protocol_validation",
  "policy",
]);

/**
 * Returns the settings that changes set in a file, but that have another value in the configuration made from it,
 * because a command-line option overrides them. For a changed preset, returns the preset, or those of its values that
 * the file does not set itself. Servers that the configuration does not serve are not compared.
 * @param text the file after the changes
 */
export function overriddenSettings(
  changes: readonly ConfigChange[],
  config: GatewayConfig,
  text: string,
): readonly string[] {
  const presets = changes.filter(({ path }) => path.at(-1) === "preset");
  const compared = changes.filter(
    ({ path, value }) => isScalar(value) && SECTIONS.has(path.at(-2) ?? ""),
  );
  if (compared.length + presets.length === 0) return [];
  const inForce = configAsFile(config);
  const isOther = ({ path, value }: ConfigChange): boolean => {
    const now = valueAt(inForce, path)?.value;
    return now !== undefined && JSON.stringify(now) !== JSON.stringify(value);
  };
  const found = [
    ...compared.filter(isOther),
    ...presets.flatMap((change) => {
      const { path, value } = change;
      const at = path.slice(0, -1);
      if (at.length > 0 && valueAt(inForce, at.slice(0, 2)) === undefined) return [];
      const now =
        valueAt(inForce, path)?.value ?? (value === undefined ? undefined : inForce.preset);
      if (now !== value) return [change];
      const preset = PRESET_NAMES.find((name) => name === value);
      if (preset === undefined) return [];
      const written = valuesIn(text);
      return valuesBelow(preset, at).filter(
        (one) => written(one.path) === undefined && isOther(one),
      );
    }),
  ];
  return found.map(({ path }) => path.join("."));
}

/**
 * Returns the values that a preset sets, with paths below a given one; without the lock, which a preset never
 * replaces.
 */
function valuesBelow(preset: PresetName, at: readonly string[]): readonly ConfigChange[] {
  return presetValues(preset)
    .filter(({ path }) => path[0] !== "lock")
    .map(({ path, value }) => ({ path: [...at, ...path], value }));
}

const isScalar = (value: unknown): boolean =>
  ["string", "number", "boolean"].includes(typeof value);
