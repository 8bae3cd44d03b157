import { possiblyBlockingKeys } from "../features/section-settings.ts";
import { DEFAULT_SETTINGS } from "../settings/validation.ts";
import type { SettingsByLevel } from "./exemptions.ts";

/** A tool that was called. */
interface CalledTool {
  readonly server: string | null;
  readonly tool: string;
}

/**
 * Returns the keys of the settings that apply to some tools, that may block more calls, and that records cannot be
 * compared with: a call was checked with the settings of its time.
 */
export function unappliedSettings(
  config: SettingsByLevel,
  tools: readonly CalledTool[],
  {
    repaired,
    other_settings: others,
  }: { readonly repaired: number; readonly other_settings: number },
): readonly string[] {
  const servers = new Map(config.servers.map((server) => [server.name, server]));
  const all = tools.map(({ server, tool }) => {
    const found = servers.get(server ?? "");
    return found?.tools.get(tool) ?? found?.settings ?? config.settings;
  });
  const { input: byDefault } = DEFAULT_SETTINGS;
  const keys = new Set<string>();
  for (const { input, output, limits } of new Set(all)) {
    if (limits !== undefined) keys.add("limits");
    if (others === 0) continue;
    const calls = { hasRepairs: repaired > 0 };
    for (const key of possiblyBlockingKeys("input_validation", input, calls)) keys.add(key);
    for (const key of possiblyBlockingKeys("output_validation", output, calls)) keys.add(key);
    for (const [section, { maxBytes, maxDepth }] of Object.entries({ input, output })) {
      if (maxBytes < byDefault.maxBytes) keys.add(`${section}_validation.max_bytes`);
      if (maxDepth < byDefault.maxDepth) keys.add(`${section}_validation.max_depth`);
    }
  }
  return [...keys];
}
