import { MODES, type Modes } from "../../config/edit/modes.ts";
import type { Direction, ValidationSettings } from "../../policy/settings.ts";

/** Returns the mode in each direction. */
export function modesOf({ input, output, protocol }: ValidationSettings): Modes {
  return { input: input.mode, output: output.mode, protocol: protocol.mode };
}

/** What a change of modes returns. */
export interface ModesChanged {
  /** Those that hold at the level now. */
  readonly modes: Modes;
  /** Directions in which an option of the command line wins over what was written. */
  readonly overridden: readonly Direction[];
  /** What took effect, one line each. */
  readonly changes: readonly string[];
  /** That the tool has not been listed by its server, and which one may be meant. */
  readonly warning?: string;
}

/** The form of a change of modes, for people. */
export const MODE_CHANGE_FORM: string = `{"input": MODE, "output": MODE, "protocol": MODE}, at least one of them, each ${MODES.map((mode) => JSON.stringify(mode)).join(", ")} or null`;
