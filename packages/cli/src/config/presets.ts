import { valueAt } from "@touchstone/core/advanced";
import {
  type ConfigFile,
  configAsFile,
  type GatewayConfig,
  presetValues,
} from "@touchstone/gateway/config";
import { safeText } from "../terminal/safe-text.ts";

/** The keys of the top level, of a server or of a tool in a complete file. */
interface Level {
  readonly preset?: ConfigFile["preset"];
  readonly input_validation?: object | undefined;
}
/** A level and its name for people. */
type Named = readonly [where: string, level: Level];

/** How many levels with another value to name. */
const MAX_OTHERS = 3;

/**
 * Returns what each preset of a configuration sets, one setting on a line, the value in force if the file overrides
 * it, and the servers and tools with another value; empty if there is no preset. Neither a value of a preset nor a
 * value that overrides one is a secret.
 */
export function presetsText(config: GatewayConfig): string {
  const file = configAsFile(config);
  const servers = Object.entries(file.mcpServers ?? {}).map(([name, { touchstone = {} }]) => {
    const tools = Object.entries(touchstone.tools ?? {}).map(
      ([tool, own]): Named => [`tool ${safeText(tool)} of ${safeText(name)}`, own],
    );
    return { named: [`server ${safeText(name)}`, touchstone] as const, tools };
  });
  // A server with a preset is listed separately.
  const below = servers
    .filter(({ named: [, { preset }] }) => preset === undefined)
    .flatMap(({ named, tools }) => [named, ...tools]);
  return [
    presetText(["top level", file], below),
    ...servers.map(({ named, tools }) => presetText(named, tools)),
  ].join("");
}

function presetText([where, level]: Named, below: readonly Named[]): string {
  const { preset } = level;
  if (preset === undefined) return "";
  const values = presetValues(preset);
  const width = Math.max(...values.map(({ path }) => path.join(".").length));
  const lines = values.map(({ path, value }) => {
    const inForce = valueAt(level, path)?.value;
    const own = isSame(value, inForce) ? [] : [`the file sets ${shown(inForce)}`];
    const others = below.flatMap(([name, lower]) => {
      const found = valueAt(lower, path)?.value;
      return found === undefined || isSame(found, inForce) ? [] : `${name} has ${shown(found)}`;
    });
    const more = others.length - MAX_OTHERS;
    const notes = [
      ...own,
      ...others.slice(0, MAX_OTHERS),
      ...(more > 0 ? [`${more} more differ`] : []),
    ];
    const note = notes.length === 0 ? "" : `  (${notes.join("; ")})`;
    return `  ${path.join(".").padEnd(width)}  ${JSON.stringify(value)}${note}\n`;
  });
  return `touchstone: preset ${preset} (${where}) sets:\n${lines.join("")}`;
}

const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

const shown = (value: unknown): string => safeText(JSON.stringify(value));
