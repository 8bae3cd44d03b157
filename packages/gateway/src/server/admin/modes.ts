import { MODES, type Modes } from "../../config/edit/modes.ts";
import type { Direction, ValidationSettings } from "../../policy/settings.ts";

/** Returns the mode in each direction. */
export function modesOf({ input, output, protocol }: ValidationSettings): Modes {
  return { input: input.mode, output: output.mode, protocol: protocol.mode };
}

/** The response to a change of modes. */
export interface ModesChanged {
  /** The modes now in force at the level. */
  readonly modes: Modes;
  /** Directions in which a command-line option overrides the file. */
  readonly overridden: readonly Direction[];
  /** What has changed, one line each. */
  readonly changes: readonly string[];
  /** The server has not listed the tool, and which tool may be meant. */
  readonly warning?: string;
}

/** The form of a change of modes, for error messages. */
export const MODE_CHANGE_FORM: string = `{"input": MODE, "output": MODE, "protocol": MODE}, at least one of them, each ${MODES.map((mode) => JSON.stringify(mode)).join(", ")} or null`;
