import { flushSync } from "react-dom";

/** The buttons that take a part out of a group of fields, and not out of a group inside of it. */
function removersIn(group: Element): readonly HTMLElement[] {
  const all = [...group.querySelectorAll<HTMLElement>("[data-remover]")];
  return all.filter((each) => each.closest("[data-group]") === group);
}

/**
 * Takes a part out of a group of fields by a button that goes with it. The focus, which would be lost, goes on
 * to the button of what comes next, else of the last part, else to the one that adds a part.
 */
export function removeBy(button: HTMLElement, remove: () => void): void {
  const group = button.closest("[data-group]");
  const at = group === null ? -1 : removersIn(group).indexOf(button);
  flushSync(remove);
  if (group === null || at < 0) return;
  const left = removersIn(group);
  (left[at] ?? left.at(-1) ?? group.querySelector<HTMLElement>("[data-adder]"))?.focus();
}
