import { useSyncExternalStore } from "react";
import { AUTOMATIC, readTime, type TimeRange, withTime } from "../time/range.ts";
import { hashOf, type PageName, TIMED_PAGES } from "./route.ts";

function inHash(hash: string): TimeRange {
  const mark = hash.indexOf("?");
  return mark < 0 ? AUTOMATIC : readTime(hash.slice(mark + 1));
}

/** The range that the user chose last. A link that opens the console also chooses a range. */
let kept: TimeRange = inHash(location.hash);
const listeners = new Set<() => void>();

function subscribe(changed: () => void): () => void {
  listeners.add(changed);
  return () => listeners.delete(changed);
}

/** Opens the same page with another range; the navigation then keeps that range on other pages. */
export function chooseTime(page: PageName, query: string, range: TimeRange): void {
  kept = range;
  for (const changed of listeners) changed();
  location.hash = hashOf(page, "", withTime(query, range));
}

/** Returns the fragment of a page, with the range that was chosen last if the page has one. */
export function pageHash(name: PageName): string {
  return hashOf(name, "", TIMED_PAGES.has(name) ? withTime("", kept) : "");
}

/** Returns {@link pageHash}, and rerenders when another range is chosen. */
export function usePageHash(): (name: PageName) => string {
  useSyncExternalStore(subscribe, () => kept);
  return pageHash;
}
