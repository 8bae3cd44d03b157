import type { Tone } from "../ui/tones.ts";

/** How each class of changes is shown, the most severe first. */
export const CHANGE_CLASSES: Readonly<Record<string, readonly [tone: Tone, word: string]>> = {
  breaking: ["bad", "breaking"],
  unproven: ["warn", "unproven"],
  text: ["warn", "text"],
  compatible: ["good", "compatible"],
  new: ["info", "new"],
};
