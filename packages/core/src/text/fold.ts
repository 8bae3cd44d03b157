/*
 * How names are compared that programs may treat as the same. This is the only place where text from outside is
 * normalized or folded: sorting a run of combining marks (Unicode, Canonical Ordering Algorithm) takes quadratic
 * time, and one character can become 18. So nothing is done to a text, or with a result, of more than
 * {@link MAX_FOLDED} characters.
 */

/** The longest text that is folded, and the longest result, in UTF-16 code units. */
export const MAX_FOLDED = 1_024;
/** Longer names are cut where they are read, so their length is unknown. */
const MAX_COUNTED = 16_384;

/**
 * Who compares:
 *
 * - `name`: the most lenient servers, for names of tools and arguments. They ignore case, width and other
 *   compatibility forms (Unicode NFKC), white space, control characters, invisible characters, and the difference
 *   between the i of Turkish and others. Everything after a NUL is dropped, as in C. `ß` is `ss`, as in Python's
 *   `casefold`: its upper case is `SS`.
 * - `member`: lenient JSON readers, for members of messages. Go's `encoding/json` and .NET ignore case and equate some
 *   letters, some Go readers ignore NULs at the end (GHSA-wvj2-96wp-fq3f, GHSA-q382-vc8q-7jhj), and Python models also
 *   accept each name with underscores.
 * - `method`: the same readers, if they also ignore white space and control characters.
 * - `search`: a person who types what they look for, without regard to case and accents.
 */
export type Comparison = "name" | "member" | "method" | "search";

/**
 * Returns a text in a form that is the same for all texts that one comparison treats as equal. Folding the result
 * again by `name`, `member` or `method` returns it unchanged.
 * @returns undefined if the text, or an intermediate result, has more than {@link MAX_FOLDED} characters: such
 *   texts are not compared, and the caller decides what that means
 */
export function foldText(text: string, by: Comparison): string | undefined {
  if (text.length > MAX_FOLDED) return undefined;
  // Names on which all comparisons agree: most names are of this kind.
  if (PLAIN.test(text)) return text.toLowerCase();
  const made = FOLDS[by](text);
  return made === undefined || made.length > MAX_FOLDED ? undefined : made;
}

/** ASCII without white space, control characters and the underscore. */
const PLAIN = /^[!-^`-~]*$/;
const INVISIBLE = /[\s\p{C}\p{Default_Ignorable_Code_Point}]+/gu;
const BLANK = /[\s\p{C}]+/gu;
/** Changing case turns each of them into another letter: the long s, the Kelvin sign, and the two i of Turkish. */
const ODD_LETTERS = /[\u017f\u212a\u0130\u0131]/g;
const LETTERS: ReadonlyMap<string, string> = new Map([
  ["\u017f", "s"],
  ["\u212a", "k"],
]);

const FOLDS: Readonly<Record<Comparison, (text: string) => string | undefined>> = {
  name(text) {
    const [before = ""] = text.split("\0", 1);
    const plain = toNfkc(before);
    if (plain.length > MAX_FOLDED) return undefined;
    const letters = plain.replace(INVISIBLE, "").replace(/[\u0130\u0131]/g, "i");
    const cased = letters.toLowerCase().toUpperCase().toLowerCase();
    // Normalizes again: letters and marks can combine once the characters between them are removed, and a change of
    // case splits some characters.
    return cased.length > MAX_FOLDED ? undefined : toNfkc(cased);
  },
  member: (text) =>
    text
      .replace(/[\0_]+/g, "")
      .replace(ODD_LETTERS, (letter) => LETTERS.get(letter) ?? "i")
      .toLowerCase(),
  method: (text) => FOLDS.member(text.replace(BLANK, "")),
  search: (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase(),
};

/**
 * Returns a text in Unicode's normalization form NFKC, which has the plain form of each compatibility character.
 * @param text of at most {@link MAX_FOLDED} characters
 * @throws RangeError if it is longer
 */
export function toNfkc(text: string): string {
  if (text.length > MAX_FOLDED) throw new RangeError("the text is too long");
  return text.normalize("NFKC");
}

/**
 * Returns what is wrong with a name that {@link foldText} does not fold, as a clause with its length and the bound, to
 * follow the word for the name.
 */
export function tooLongToFold(name: string): string {
  const isCut = name.length > MAX_COUNTED;
  const length = isCut ? `more than ${grouped(MAX_COUNTED)}` : grouped(name.length);
  const most = grouped(MAX_FOLDED);
  const what =
    name.length > MAX_FOLDED
      ? `has ${length} characters`
      : `has ${length} characters that programs may read as more than ${most}`;
  return `${what}, and names of more than ${most} cannot be compared with others`;
}

const grouped = (count: number): string => String(count).replace(/\B(?=(?:[0-9]{3})+$)/g, ",");
