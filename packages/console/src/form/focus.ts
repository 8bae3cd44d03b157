import { flushSync } from "react-dom";

/** Returns the buttons that remove a part of a group of fields, except those of nested groups. */
function removersIn(group: Element): readonly HTMLElement[] {
  const all = [...group.querySelectorAll<HTMLElement>("[data-remover]")];
  return all.filter((each) => each.closest("[data-group]") === group);
}

/**
 * Removes a part of a group of fields, along with its remove button. Moves the focus, which would be lost, to the
 * button of the next part, else of the last part, else to the button that adds a part.
 */
export function removeWithFocus(button: HTMLElement, remove: () => void): void {
  const group = button.closest("[data-group]");
  const at = group === null ? -1 : removersIn(group).indexOf(button);
  flushSync(remove);
  if (group === null || at < 0) return;
  const left = removersIn(group);
  (left[at] ?? left.at(-1) ?? group.querySelector<HTMLElement>("[data-adder]"))?.focus();
}
