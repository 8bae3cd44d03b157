import { flushSync } from "react-dom";

/** The buttons in a group of fields that take an item or a property out of it, in their order. */
function removersIn(group: Element): readonly HTMLElement[] {
  const items = ":scope > .item > .item-buttons > button:last-child";
  return [...group.querySelectorAll<HTMLElement>(`${items}, :scope > .field > .key > button`)];
}

/**
 * Takes a part out of a group of fields by a button that goes with it. The focus, which would be lost, goes on
 * to the button of what comes next, else of the last part, else to the one that adds a part.
 */
export function removeBy(button: HTMLElement, remove: () => void): void {
  const group = button.closest("fieldset");
  const at = group === null ? -1 : removersIn(group).indexOf(button);
  flushSync(remove);
  if (group === null || at < 0) return;
  const left = removersIn(group);
  (left[at] ?? left.at(-1) ?? group.querySelector<HTMLElement>(":scope > button"))?.focus();
}
