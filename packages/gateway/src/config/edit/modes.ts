import type { Direction, Mode } from "../../policy/settings.ts";
import { isJsonObject, type JsonValue, parseDocument } from "../document.ts";
import { removeValue } from "./removal.ts";
import { setValue } from "./value.ts";

/** The level that a setting stands at: one tool of a server, a server, or without either the top. */
export type SettingsLevel =
  | { readonly server?: never; readonly tool?: never }
  | { readonly server: string; readonly tool?: string };

/** Modes by direction. */
export type Modes = Readonly<Record<Direction, Mode>>;
/** The modes of some directions. */
export type SomeModes = Partial<Modes>;
/** Modes to set; `null` removes one, so that the level above holds. */
export type ModeChange = Readonly<Partial<Record<Direction, Mode | null>>>;

export const DIRECTIONS: readonly Direction[] = ["input", "output", "protocol"];
export const MODES: readonly Mode[] = ["off", "warn", "strict"];

function levelPath({ server, tool }: SettingsLevel): readonly string[] {
  if (server === undefined) return [];
  const own = ["mcpServers", server, "touchstone"];
  return tool === undefined ? own : [...own, "tools", tool];
}

/** The entry of a server itself is never removed. */
function kept({ server }: SettingsLevel): number {
  return server === undefined ? 0 : 2;
}

/**
 * Sets and removes modes in the text of a `touchstone.json`; comments, order, formatting and every
 * other value stay.
 * @throws {EditError} where the text cannot be edited there
 */
export function editModes(text: string, level: SettingsLevel, change: ModeChange): string {
  return DIRECTIONS.reduce((edited, direction) => {
    const mode = change[direction];
    const path = [...levelPath(level), `${direction}_validation`, "mode"];
    if (mode === undefined) return edited;
    return mode === null ? removeValue(edited, path, kept(level)) : setValue(edited, path, mode);
  }, text);
}

/** The modes that a text says itself, at any level. */
export interface WrittenModes {
  /** @returns the modes that stand at the level; none where it says nothing */
  at(level: SettingsLevel): SomeModes;
  /** Whether the text has an entry for a server. */
  has(server: string): boolean;
}

/** Reads the modes that stand in the text of a `touchstone.json`; one that cannot be read has none. */
export function writtenModes(text: string): WrittenModes {
  const document = parseDocument(text.replace(/^\uFEFF/, ""));
  const root = "faults" in document ? undefined : document.value;
  return {
    at(level) {
      const section = follow(root, levelPath(level));
      const modes = DIRECTIONS.flatMap((direction) => {
        const mode = follow(section, [`${direction}_validation`, "mode"]);
        return MODES.filter((known) => known === mode).map((known) => [direction, known] as const);
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
