import { type RefObject, useEffect, useRef } from "react";
import { useShortcut } from "./shortcuts.ts";

/**
 * Attributes by which the keyboard finds lists: spread `LIST` on the element around the rows, and `ROW` on the link or
 * button that opens a row. Keys then work without anything else.
 */
export const LIST = { "data-list": "" } as const;
export const ROW = { "data-row": "" } as const;

/** The address of the row that the user opened last. */
let opened: string | null = null;

/**
 * Returns a ref for the element around the rows of a page's list: when the user returns from a row, that row gets the
 * focus.
 * @param isShown whether there is room for the list
 */
export function useOpenedRow<E extends HTMLElement>(isShown = true): RefObject<E | null> {
  const list = useRef<E>(null);
  useEffect(() => {
    if (!isShown) return;
    const { current } = list;
    const addressOf = (row: Element | null | undefined) => row?.getAttribute("href") ?? null;
    if (opened !== null && document.activeElement === document.body) {
      const rows = [...(current?.querySelectorAll<HTMLElement>("[data-row]") ?? [])];
      rows.find((row) => addressOf(row) === opened)?.focus();
    }
    opened = null;
    const onClick = ({ target }: Event): void => {
      opened = addressOf((target as Element).closest("a"));
    };
    current?.addEventListener("click", onClick);
    return () => current?.removeEventListener("click", onClick);
  }, [isShown]);
  return list;
}

function rowsIn(list: Element): readonly HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>("[data-row]")].filter((row) =>
    row.checkVisibility(),
  );
}

/** Returns the row that has the focus. A control next to it in the same row does not count as the row. */
function focusedRow(): HTMLElement | undefined {
  const { activeElement } = document;
  const isRow = activeElement instanceof HTMLElement && activeElement.matches("[data-row]");
  return isRow && activeElement.closest("[data-list]") !== null ? activeElement : undefined;
}

/** Moves the focus by that many rows; from outside of a list, to the first row of the first list. */
function move(step: number): void {
  const from = focusedRow();
  const lists = [...document.querySelectorAll("main [data-list]")];
  const list = from?.closest("[data-list]") ?? lists.find((each) => rowsIn(each).length > 0);
  if (list === null || list === undefined) return;
  const rows = rowsIn(list);
  const at = from === undefined ? -1 : rows.indexOf(from);
  // A list is entered at the row that is open, and one with one stop of the Tab key there.
  const current = rows.find((row) => row.hasAttribute("aria-current"));
  const entry = current ?? rows.find(({ tabIndex }) => tabIndex === 0) ?? rows[0];
  const to = at < 0 ? entry : rows[Math.max(0, Math.min(rows.length - 1, at + step))];
  to?.focus({ preventScroll: true });
  to?.scrollIntoView({ block: "nearest" });
}

const edge = (last: boolean) => () =>
  move(last ? Number.MAX_SAFE_INTEGER : -Number.MAX_SAFE_INTEGER);
/** Returns whether a row of a list has the focus. */
export const isInList = (): boolean => focusedRow() !== undefined;

/**
 * Makes the keys of all lists work: `j` and `k` move to the next and the previous row, also from outside of a list;
 * the arrows, Home and End move within one, Enter opens a row, and Escape leaves the list.
 */
export function useListKeys(): void {
  useShortcut({ keys: "j", label: "Next row of the list", run: () => move(1) });
  useShortcut({ keys: "k", label: "Previous row of the list", run: () => move(-1) });
  const inList = { applies: isInList } as const;
  useShortcut({ keys: "ArrowDown", label: "Next row", run: () => move(1), ...inList });
  useShortcut({ keys: "ArrowUp", label: "Previous row", run: () => move(-1), ...inList });
  useShortcut({ keys: "Home", label: "First row", run: edge(false), ...inList });
  useShortcut({ keys: "End", label: "Last row", run: edge(true), ...inList });
  useShortcut({
    keys: "Enter",
    label: "Open the row",
    run: () => focusedRow()?.click(),
    ...inList,
  });
  useShortcut({
    keys: "Escape",
    label: "Leave the list, or go back to it",
    run: () => document.getElementById("main")?.focus(),
    ...inList,
  });
}
