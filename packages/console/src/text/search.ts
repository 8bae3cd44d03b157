import { foldText } from "@touchstone/core/advanced";

/** How many characters of a text are searched. */
export const MAX_SEARCHED = 4_096;
/** Length of a piece of a text: folding may turn one character into 18, and texts longer than 1,024 are not folded. */
const PIECE = 56;

/**
 * Returns a text in the form in which a search compares it: without regard to case and accents. Only the first 4,096
 * characters are searched.
 */
export function searchable(text: string): string {
  let made = "";
  for (let at = 0; at < Math.min(text.length, MAX_SEARCHED); ) {
    // The two halves of a surrogate pair stay together.
    const isHigh = (text.charCodeAt(at + PIECE - 1) & 0xfc00) === 0xd800;
    const end = at + PIECE - (isHigh ? 1 : 0);
    made += foldText(text.slice(at, end), "search") ?? "";
    at = end;
  }
  return made;
}

/** Returns the words of a query, each in the form of {@link searchable}. */
export function searchWords(query: string): readonly string[] {
  return searchable(query).split(/\s+/).filter(Boolean);
}
