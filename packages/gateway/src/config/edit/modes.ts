import { MODE_VALUES } from "../../features/decision.ts";
import type { Direction, Mode } from "../../settings/validation.ts";
import { isJsonObject, type JsonValue, parseDocument } from "../document.ts";
import type { ConfigChange } from "./changes.ts";

/** The level of a setting: a tool of a server, a server, or the top if both are absent. */
export type SettingsLevel =
  | { readonly server?: never; readonly tool?: never }
  | { readonly server: string; readonly tool?: string };

/** Modes by direction. */
export type Modes = Readonly<Record<Direction, Mode>>;
/** The modes of some directions. */
export type PartialModes = Partial<Modes>;
/** Modes to set; `null` removes one, so that the level above applies. */
export type ModeChange = Readonly<Partial<Record<Direction, Mode | null | undefined>>>;

export const DIRECTIONS: readonly Direction[] = ["input", "output", "protocol"];

/** The path of a level's settings. */
export function levelPath({ server, tool }: SettingsLevel): readonly string[] {
  if (server === undefined) return [];
  const own = ["mcpServers", server, "touchstone"];
  return tool === undefined ? own : [...own, "tools", tool];
}

/** Returns the values that a change of modes sets and removes. */
export function modeChanges(level: SettingsLevel, change: ModeChange): readonly ConfigChange[] {
  return DIRECTIONS.flatMap((direction) => {
    const mode = change[direction];
    const path = [...levelPath(level), `${direction}_validation`, "mode"];
    return mode === undefined ? [] : [{ path, value: mode ?? undefined }];
  });
}

/** The modes that a text itself sets, at any level. */
export interface WrittenModes {
  /** @returns the modes that the level sets; none if it sets none */
  at(level: SettingsLevel): PartialModes;
  /** Whether the text has an entry for a server. */
  has(server: string): boolean;
}

/** Reads the modes in the text of a `touchstone.json`; a text that cannot be read has none. */
export function writtenModes(text: string): WrittenModes {
  const document = parseDocument(text.replace(/^\uFEFF/, ""));
  const root = "faults" in document ? undefined : document.value;
  return {
    at(level) {
      const section = follow(root, levelPath(level));
      const modes = DIRECTIONS.flatMap((direction) => {
        const mode = follow(section, [`${direction}_validation`, "mode"]);
        return MODE_VALUES.filter((known) => known === mode).map(
          (known) => [direction, known] as const,
        );
      });
      return Object.fromEntries(modes);
    },
    has: (server) => follow(root, ["mcpServers", server]) !== undefined,
  };
}

function follow(value: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>(
    (at, name) => (isJsonObject(at) && Object.hasOwn(at, name) ? at[name] : undefined),
    value,
  );
}
