import type { Modes } from "../../config/edit/modes.ts";
import type { ValidationSettings } from "../../policy/settings.ts";

/** The mode in each direction. */
export function modesOf({ input, output, protocol }: ValidationSettings): Modes {
  return { input: input.mode, output: output.mode, protocol: protocol.mode };
}
