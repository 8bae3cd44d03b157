import { HIDDEN, visible } from "../text/visible.ts";

/**
 * Characters that the editor shows by name. They include the joiners in emoji, because every character matters here.
 */
export const HIDDEN_CHARACTERS: RegExp = new RegExp(`(?![\\t\\n])${HIDDEN}`, "gu");

/** Shows an invisible character as its name. */
export function namedCharacter(code: number): HTMLElement {
  const element = document.createElement("span");
  element.textContent = visible(String.fromCodePoint(code));
  element.className = "cm-hidden-character";
  element.title = "A character that cannot be seen";
  return element;
}
