import type { AST } from "@eslint-community/regexpp";
import { type CodeSet, rangesOf } from "./code-set.ts";
import { parsePattern, setOf } from "./parse.ts";

/** Longer texts are cut off, and then probably do not match. */
const MAX_LENGTH = 400;
/** Maximum number of repeats tried beyond the minimum, if more are allowed. */
const MORE = 3;
/** Easily readable characters, preferred if there is a choice. */
const READABLE = "a1A0-_ .z9";

function characterOf(set: CodeSet, random: () => number): string {
  const readable = [...READABLE].filter((character) => {
    const point = character.codePointAt(0) ?? 0;
    return [...rangesOf(set)].some(([low, high]) => low <= point && point <= high);
  });
  const [wanted = ""] = readable.slice(Math.floor(random() * readable.length));
  if (wanted !== "") return wanted;
  const points = [...rangesOf(set)].map(([low]) => low);
  const point = points[Math.floor(random() * points.length)];
  return point === undefined ? "" : String.fromCodePoint(point);
}

class PatternSampler {
  readonly #unicode: boolean;
  readonly #random: () => number;
  #left = MAX_LENGTH;

  constructor(unicode: boolean, random: () => number) {
    this.#unicode = unicode;
    this.#random = random;
  }

  any(alternatives: readonly AST.Alternative[]): string {
    const chosen = alternatives[Math.floor(this.#random() * alternatives.length)];
    return chosen?.elements.map((element) => this.#element(element)).join("") ?? "";
  }

  #element(element: AST.Element): string {
    if (this.#left <= 0) return "";
    switch (element.type) {
      case "Group":
      case "CapturingGroup":
        return this.any(element.alternatives);
      case "Quantifier": {
        const { min, max } = element;
        const most = Math.min(max, min + MORE, min + this.#left);
        const count = Math.min(MAX_LENGTH, min + Math.floor(this.#random() * (most - min + 1)));
        let text = "";
        for (let made = 0; made < count && this.#left > 0; made += 1)
          text += this.#element(element.element);
        return text;
      }
      default: {
        const set = setOf(element, this.#unicode);
        if (set === undefined) return "";
        this.#left -= 1;
        return characterOf(set, this.#random);
      }
    }
  }
}

/**
 * Makes a text that a pattern probably matches. Ignores backreferences, and assertions other than those for the ends
 * of the text, so callers that need a match must test it. At most 400 characters. Never throws.
 * @param random numbers from 0 up to 1
 * @returns undefined if the source is not a pattern
 */
export function samplePattern(source: string, random: () => number): string | undefined {
  try {
    const { pattern, unicode } = parsePattern(source);
    return new PatternSampler(unicode, random).any(pattern.alternatives);
  } catch {
    return undefined;
  }
}
