import { HIDDEN, visible } from "../text/visible.ts";

/** What an editor names. Joiners in emoji are among it: here each character counts. */
export const HIDDEN_CHARACTERS: RegExp = new RegExp(`(?![\\t\\n])${HIDDEN}`, "gu");

/** Draws a character that cannot be seen as its name. */
export function nameCharacter(code: number): HTMLElement {
  const element = document.createElement("span");
  element.textContent = visible(String.fromCodePoint(code));
  element.className = "cm-hidden-character";
  element.title = "A character that cannot be seen";
  return element;
}
