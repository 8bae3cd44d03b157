import {
  DIRECTIONS,
  type ModeChange,
  type Modes,
  modeChanges,
  type SettingsLevel,
} from "../../config/edit/modes.ts";
import { MODE_VALUES } from "../../features/decision.ts";
import type { ValidationSettings } from "../../settings/validation.ts";
import type { EditResult } from "./actions.ts";

/** Returns the mode in each direction. */
export function modesOf({ input, output, protocol }: ValidationSettings): Modes {
  return { input: input.mode, output: output.mode, protocol: protocol.mode };
}

/** The form of a change of modes, for error messages. */
export const MODE_CHANGE_FORM: string = `{"input": MODE, "output": MODE, "protocol": MODE}, at least one of them, each ${MODE_VALUES.map((mode) => JSON.stringify(mode)).join(", ")} or null`;

/** Returns the edit that sets modes at a level. */
export function modesEdit(level: SettingsLevel, change: ModeChange): EditResult {
  const { server, tool } = level;
  const modes = DIRECTIONS.filter((direction) => change[direction] !== undefined).map(
    (direction) => `${direction} ${change[direction] ?? "as above"}`,
  );
  const of = server === undefined ? "" : ` for ${tool === undefined ? "" : `${tool} of `}${server}`;
  const told = modes.join(", ") + of;
  const servers = server === undefined ? undefined : [server];
  return { changes: modeChanges(level, change), told, servers };
}
