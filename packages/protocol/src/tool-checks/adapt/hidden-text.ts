/**
 * Invisible characters: control characters except tab and line ends, and what fonts do not show (UAX #44,
 * Default_Ignorable).
 */
const HIDDEN = /[\p{Default_Ignorable_Code_Point}\p{Cc}\uFFF9-\uFFFB]/u;
const VISIBLE_CONTROLS = "\t\n\r";

/** Emoji, and letters of scripts that use joiners (UAX #31, section 2.3). */
const PICTURE = "[\\p{Extended_Pictographic}\\p{Emoji_Modifier}]";
const JOINING =
  "[\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Mongolian}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gurmukhi}\\p{Script=Gujarati}\\p{Script=Oriya}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Malayalam}\\p{Script=Sinhala}\\p{Script=Myanmar}\\p{Script=Khmer}]";
/** Hidden characters that are part of visible text: within emoji (UTS #51), flags, keycaps, and between letters. */
const MEANT = [
  "\\u{1F3F4}[\\u{E0030}-\\u{E0039}\\u{E0061}-\\u{E007A}]{1,6}\\u{E007F}",
  `${PICTURE}[\\uFE0E\\uFE0F]?(?:\\u200D${PICTURE}[\\uFE0E\\uFE0F]?)*`,
  "[0-9#*]\\uFE0F\\u20E3",
  `(?<=${JOINING})[\\u200C\\u200D](?=${JOINING})`,
].join("|");
/** Visible sequences come first in the expression, so that a hidden character that is part of one is kept. */
const MEANT_OR_HIDDEN = new RegExp(`${MEANT}|(?<hidden>${HIDDEN.source})`, "gu");
/** Tag characters, which encode invisible ASCII text. */
const TAGS = /[\u{E0020}-\u{E007E}]+/gu;
const MOST_SHOWN = 8;
const LONGEST_TAGS = 80;

/** A text without its hidden characters, and what was removed. */
export interface VisibleText {
  readonly text: string;
  /** What was removed, in words for people: `U+200B (3 times)`, and the text that tag characters encode. */
  readonly removed: string;
}

/** Returns whether a text has characters that {@link withoutHiddenSteps} may remove. */
export function hasHidden(text: string): boolean {
  return HIDDEN.test(text);
}

/** How many hidden characters to process in one step. */
const STEP_FOUND = 4_096;

/**
 * Removes invisible and bidirectional characters, which a text can use to say something to a model that its reader
 * does not see. Keeps tabs, line ends, and what emoji and joining scripts need. Returns undefined if there is nothing
 * to remove. Works in steps of a few milliseconds for a text of up to 1 MiB.
 */
export function* withoutHiddenSteps(text: string): Generator<void, VisibleText | undefined, void> {
  if (!HIDDEN.test(text)) return undefined;
  const counts = new Map<string, number>();
  let kept = "";
  let end = 0;
  let steps = 0;
  for (const { index, 0: found, groups } of text.matchAll(MEANT_OR_HIDDEN)) {
    steps += 1;
    if (steps % STEP_FOUND === 0) yield;
    const character = groups?.["hidden"];
    if (character === undefined || VISIBLE_CONTROLS.includes(character)) continue;
    kept += text.slice(end, index);
    end = index + found.length;
    counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  if (counts.size === 0) return undefined;
  return { text: kept + text.slice(end), removed: described(counts, text) };
}

function described(counts: ReadonlyMap<string, number>, text: string): string {
  const shown = [...counts]
    .slice(0, MOST_SHOWN)
    .map(([character, times]) => `${nameOf(character)}${times === 1 ? "" : ` (${times} times)`}`);
  const more = counts.size > MOST_SHOWN ? [`${counts.size - MOST_SHOWN} other characters`] : [];
  const said = [...text.matchAll(TAGS)].map(([tags]) => tags).join("");
  const hidden = counts.size > 0 && said.length > 0 ? [`tags that say ${quotedTags(said)}`] : [];
  return [...shown, ...more, ...hidden].join(", ");
}

function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

function quotedTags(tags: string): string {
  // Reads one tag more than is shown. Each tag has two code units.
  const ascii = [...tags.slice(0, 2 * (LONGEST_TAGS + 1))].map((tag) =>
    String.fromCharCode((tag.codePointAt(0) ?? 0) - 0xe0000),
  );
  const text = ascii.join("");
  return JSON.stringify(text.length > LONGEST_TAGS ? `${text.slice(0, LONGEST_TAGS)}…` : text);
}

const MARK = "…";

/**
 * Returns a text shortened to at most `max` characters (UTF-16 code units), ending in `…`; undefined if it is not
 * longer than that. Never splits a surrogate pair.
 */
export function cutText(text: string, max: number): string | undefined {
  if (text.length <= max) return undefined;
  const kept = text.slice(0, Math.max(0, max - MARK.length));
  return kept.replace(/[\uD800-\uDBFF]$/, "") + MARK;
}
