/**
 * Invisible characters: control characters except tab and line ends, and what fonts do not show (UAX #44,
 * Default_Ignorable).
 */
const HIDDEN = /[\p{Default_Ignorable_Code_Point}\p{Cc}\uFFF9-\uFFFB]/u;
const EVERY_HIDDEN = new RegExp(HIDDEN.source, "gu");
const VISIBLE_CONTROLS = "\t\n\r";

/** Emoji, and letters of scripts that use joiners (UAX #31, section 2.3). */
const PICTURE = "[\\p{Extended_Pictographic}\\p{Emoji_Modifier}]";
const JOINING =
  "[\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Mongolian}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gurmukhi}\\p{Script=Gujarati}\\p{Script=Oriya}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Malayalam}\\p{Script=Sinhala}\\p{Script=Myanmar}\\p{Script=Khmer}]";
/** Hidden characters that are part of visible text: within emoji (UTS #51), flags, keycaps, and between letters. */
const MEANT = new RegExp(
  [
    "\\u{1F3F4}[\\u{E0030}-\\u{E0039}\\u{E0061}-\\u{E007A}]{1,6}\\u{E007F}",
    `${PICTURE}[\\uFE0E\\uFE0F]?(?:\\u200D${PICTURE}[\\uFE0E\\uFE0F]?)*`,
    "[0-9#*]\\uFE0F\\u20E3",
    `(?<=${JOINING})[\\u200C\\u200D](?=${JOINING})`,
  ].join("|"),
  "gu",
);
/** Tag characters, which encode invisible ASCII text. */
const TAGS = /[\u{E0020}-\u{E007E}]+/gu;
const MOST_SHOWN = 8;
const LONGEST_TAGS = 80;

/** A text without its hidden characters, and what was removed. */
export interface VisibleText {
  readonly text: string;
  /** For people: `U+200B (3 times)`, and the text that tag characters encode. */
  readonly removed: string;
}

/**
 * Removes invisible and bidirectional characters, which a text can use to say something to a model that its reader
 * does not see. Keeps tabs, line ends, and what emoji and joining scripts need. Returns undefined if there is nothing
 * to remove.
 */
export function withoutHidden(text: string): VisibleText | undefined {
  if (!HIDDEN.test(text)) return undefined;
  const meant = new Set<number>();
  for (const { index, 0: found } of text.matchAll(MEANT)) {
    for (let at = index; at < index + found.length; at += 1) meant.add(at);
  }
  const counts = new Map<string, number>();
  const kept = text.replace(EVERY_HIDDEN, (character, at: number) => {
    if (VISIBLE_CONTROLS.includes(character) || meant.has(at)) return character;
    counts.set(character, (counts.get(character) ?? 0) + 1);
    return "";
  });
  if (counts.size === 0) return undefined;
  return { text: kept, removed: described(counts, text) };
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
  const ascii = [...tags].map((tag) => String.fromCharCode((tag.codePointAt(0) ?? 0) - 0xe0000));
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
