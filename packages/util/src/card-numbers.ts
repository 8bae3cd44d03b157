/**
 * Groups of digits, each separated by a space or a hyphen, that are long enough for a card. Longer runs are processed
 * in pieces, because the engine keeps state for each group until the last.
 */
const GROUPS = /(?=\d(?:[ -]?\d){12})\d+(?:[ -]\d+){0,999}/g;
const MIN_DIGITS = 13;
const MAX_DIGITS = 19;

/**
 * Grouping of printed card numbers, by the digits of each group (ISO/IEC 7812-1). Other groups, such as an expiry
 * date, may be beside them.
 */
const PRINTED: ReadonlySet<string> = new Set(["4,4,4,4", "4,4,4,4,3", "4,6,5", "4,6,4"]);
const MIN_GROUPS = 3;
const MAX_GROUPS = 5;
/** Digits of the first group of each of them. */
const PRINTED_FIRST = 4;

/**
 * Returns a text with every payment card number replaced: 13 to 19 digits, grouped or not, with a valid check digit,
 * unless they are in the middle of a hash. Takes linear time.
 */
export function withoutCards(text: string, replace: () => string): string {
  return text.replace(GROUPS, (run, at: number) => {
    const digits = run.replace(/\D/g, "");
    const hasStart = !/\d\.$/.test(text.slice(Math.max(0, at - 2), at));
    const end = at + run.length;
    const hasEnd = !/^\.\d/.test(text.slice(end, end + 2));
    if (hasStart && hasEnd && isCard(digits))
      return digits.length === run.length && isOfHash(text, at, end) ? run : replace();
    return withoutPrinted(run, { hasStart, hasEnd }, replace);
  });
}

/** The fewest hexadecimal digits of a hash. */
const HASH_DIGITS = 40;
const HEX_LETTER = /[a-f]/i;
const HEX = /[\da-f]/i;

/** Returns whether digits between two hexadecimal letters are a part of a hash. Looks at no more than a hash has. */
function isOfHash(text: string, at: number, end: number): boolean {
  if (!HEX_LETTER.test(text[at - 1] ?? "") || !HEX_LETTER.test(text[end] ?? "")) return false;
  let first = at;
  while (end - first < HASH_DIGITS && HEX.test(text[first - 1] ?? "")) first -= 1;
  let last = end;
  while (last - first < HASH_DIGITS && HEX.test(text[last] ?? "")) last += 1;
  return last - first >= HASH_DIGITS;
}

/**
 * Returns whether the first group of a run begins a number and the last one ends it, rather than being part of a
 * decimal.
 */
interface Ends {
  readonly hasStart: boolean;
  readonly hasEnd: boolean;
}

function withoutPrinted(run: string, { hasStart, hasEnd }: Ends, replace: () => string): string {
  const groups = run.split(/[ -]/);
  const last = hasEnd ? groups.length : groups.length - 1;
  let kept = "";
  let copied = 0;
  let offset = 0;
  for (let at = 0; at < last; ) {
    const size = at === 0 && !hasStart ? 0 : cardAt(groups, at, last);
    const begin = offset;
    for (const next = at + Math.max(size, 1); at < next; at += 1) {
      offset += (groups[at]?.length ?? 0) + 1;
    }
    if (size === 0) continue;
    kept += run.slice(copied, begin) + replace();
    copied = offset - 1;
  }
  return kept + run.slice(copied);
}

/** Returns how many groups from here on form a printed card number; 0 if none do. */
function cardAt(groups: readonly string[], from: number, last: number): number {
  const first = groups[from] ?? "";
  if (first.length >= MIN_DIGITS) return isCard(first) ? 1 : 0;
  if (first.length !== PRINTED_FIRST) return 0;
  for (let size = Math.min(MAX_GROUPS, last - from); size >= MIN_GROUPS; size -= 1) {
    const card = groups.slice(from, from + size);
    if (PRINTED.has(card.map(({ length }) => length).join()) && isCard(card.join(""))) return size;
  }
  return 0;
}

/** ISO/IEC 7812-1, annex B: the sum of the digits, every second one doubled, ends in 0. */
function isCard(digits: string): boolean {
  if (digits.length < MIN_DIGITS || digits.length > MAX_DIGITS) return false;
  // Numbers of one repeated digit (0000…) pass the check and are not cards.
  if (/^(\d)\1*$/.test(digits)) return false;
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) {
    const digit = Number(digits[digits.length - 1 - at]);
    const doubled = at % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
