import type { AST } from "@eslint-community/regexpp";
import { type CodeSet, rangesOf } from "./code-set.ts";
import { setOf } from "./parse.ts";

/** Maximum size of a program for the linear engine, in instructions with repeats expanded. */
const MAX_PROGRAM_SIZE = 2000;
/** The engine's maximum for one repeat, with nested repeats multiplied. */
const MAX_REPEAT = 1000;
/** Limits the length of the translation: classes of Unicode properties are long. */
const MAX_TRANSLATION_LENGTH = 1 << 17;

/** Thrown for anything without a linear form. */
class Untranslatable extends Error {}

interface Piece {
  readonly text: string;
  /** Instructions, about. */
  readonly size: number;
  /** Product of the counts of nested repeats. */
  readonly repeat: number;
}

/** A pattern in RE2 syntax. */
export interface Translation {
  readonly text: string;
  readonly size: number;
  readonly lookbehinds: boolean;
  /** Whether it matches reversed text. */
  readonly reversed: boolean;
}

/** The offset by which surrogate code units are moved in non-Unicode mode. */
const UNIT_SHIFT = 0x100000;

/**
 * Returns the text in the form that a pattern translated without Unicode mode expects: each half of a surrogate pair
 * is a separate character, from a plane that no other unit of the text can come from.
 */
export function splitSurrogatePairs(text: string): string {
  return text.replace(/[\ud800-\udfff]/g, (unit) =>
    String.fromCodePoint(UNIT_SHIFT + unit.charCodeAt(0)),
  );
}

/** Reverses the code points of a well-formed text. */
export function reverseCodePoints(text: string): string {
  return Array.from(text).reverse().join("");
}

const hex = (point: number): string => `\\x{${point.toString(16)}}`;

function writeSet(set: CodeSet, unicode: boolean): string {
  if (set.length === 0) return "[^\\x{0}-\\x{10ffff}]";
  let out = "";
  for (const [lo, hi] of rangesOf(set)) {
    const parts: (readonly [number, number])[] = unicode ? [[lo, hi]] : unitRanges(lo, hi);
    for (const [from, to] of parts) out += from === to ? hex(from) : `${hex(from)}-${hex(to)}`;
  }
  return `[${out}]`;
}

function isSurrogate([lo = 0, hi, ...others]: CodeSet): boolean {
  return others.length === 0 && lo === hi && lo >= 0xd800 && lo <= 0xdfff;
}

function unitRanges(lo: number, hi: number): (readonly [number, number])[] {
  const parts: (readonly [number, number])[] = [];
  if (lo < 0xd800) parts.push([lo, Math.min(hi, 0xd7ff)]);
  const from = Math.max(lo, 0xd800);
  const to = Math.min(hi, 0xdfff);
  if (from <= to) parts.push([from + UNIT_SHIFT, to + UNIT_SHIFT]);
  if (hi > 0xdfff) parts.push([Math.max(lo, 0xe000), hi]);
  return parts;
}

class Translator {
  lookbehinds = false;
  readonly unicode: boolean;
  readonly reversed: boolean;
  /** Characters written for sets so far, each of which appears at least once in the translation. */
  private written = 0;

  constructor(unicode: boolean, reversed: boolean) {
    this.unicode = unicode;
    this.reversed = reversed;
  }

  private piece(text: string, size: number, repeat = 1): Piece {
    if (size > MAX_PROGRAM_SIZE || text.length > MAX_TRANSLATION_LENGTH) throw new Untranslatable();
    return { text, size, repeat };
  }

  private join(pieces: readonly Piece[]): Piece {
    let text = "";
    let size = 0;
    let repeat = 1;
    for (const piece of pieces) {
      text += piece.text;
      size += piece.size;
      repeat = Math.max(repeat, piece.repeat);
      if (text.length > MAX_TRANSLATION_LENGTH) throw new Untranslatable();
    }
    return this.piece(text, size, repeat);
  }

  alternatives(list: readonly AST.Alternative[]): Piece {
    const pieces = list.map(({ elements }) => {
      const parts = elements.map((element) => this.element(element));
      return this.join(this.reversed ? parts.reverse() : parts);
    });
    const [only] = pieces;
    if (pieces.length === 1 && only !== undefined) return this.group(only.text, only);
    const all = this.join(pieces);
    return this.group(pieces.map(({ text }) => text).join("|"), all, pieces.length);
  }

  private group(text: string, { size, repeat }: Piece, more = 0): Piece {
    return this.piece(`(?:${text})`, size + more, repeat);
  }

  private element(node: AST.Element): Piece {
    const set = setOf(node, this.unicode);
    if (set !== undefined) {
      // Given a lone surrogate as a literal, the engine would also find it inside a pair.
      if (this.unicode && isSurrogate(set)) throw new Untranslatable();
      const text = writeSet(set, this.unicode);
      this.written += text.length;
      if (this.written > MAX_TRANSLATION_LENGTH) throw new Untranslatable();
      return this.piece(text, 1);
    }
    switch (node.type) {
      case "Group":
      case "CapturingGroup":
        return this.alternatives(node.alternatives);
      case "Quantifier":
        return this.quantifier(node);
      case "Assertion":
        return this.assertion(node);
      default:
        throw new Untranslatable();
    }
  }

  private assertion(node: AST.Assertion): Piece {
    switch (node.kind) {
      case "start":
        return this.piece(this.reversed ? "\\z" : "\\A", 1);
      case "end":
        return this.piece(this.reversed ? "\\A" : "\\z", 1);
      case "word":
        return this.piece(node.negate ? "\\B" : "\\b", 1);
      case "lookahead":
      case "lookbehind": {
        if ((node.kind === "lookahead") !== this.reversed) throw new Untranslatable();
        this.lookbehinds = true;
        const { text, size, repeat } = this.alternatives(node.alternatives);
        return this.piece(`(?<${node.negate ? "!" : "="}${text})`, size + 2, repeat);
      }
    }
  }

  /** Greediness affects which match is found, not whether there is one, so it is omitted. */
  private quantifier({ element, min, max }: AST.Quantifier): Piece {
    const piece = this.element(element);
    // Repeating an assertion adds nothing to it.
    if (element.type === "Assertion") return min === 0 ? this.piece("(?:)", 1) : piece;
    const endless = max === Number.POSITIVE_INFINITY;
    const times = this.exactly(piece, endless && min > 0 ? min - 1 : min);
    if (max === min) return times;
    const rest = endless
      ? this.piece(`(?:${piece.text})${min > 0 ? "+" : "*"}`, piece.size + 1, piece.repeat)
      : this.upTo(piece, max - min);
    return this.group(times.text + rest.text, {
      text: "",
      size: times.size + rest.size,
      repeat: Math.max(times.repeat, rest.repeat),
    });
  }

  private exactly(piece: Piece, count: number): Piece {
    if (count === 0) return this.piece("(?:)", 1);
    if (count === 1) return piece;
    const size = piece.size * count;
    const chunk = Math.min(count, Math.floor(MAX_REPEAT / piece.repeat));
    if (size > MAX_PROGRAM_SIZE || chunk < 1) throw new Untranslatable();
    let text = "";
    for (let left = count; left > 0; left -= chunk) {
      text += `(?:${piece.text}){${Math.min(left, chunk)}}`;
    }
    return this.piece(`(?:${text})`, size, piece.repeat * chunk);
  }

  /**
   * Beyond the engine's limit, `x{0,m}` becomes `x{0,k-1}|x{k}x{0,m-k}`. That form is unambiguous: a text is never
   * split between two repeats in more than one way.
   */
  private upTo(piece: Piece, count: number): Piece {
    const size = (piece.size + 1) * count;
    const chunk = Math.floor(MAX_REPEAT / piece.repeat);
    if (size > MAX_PROGRAM_SIZE || chunk < 1) throw new Untranslatable();
    if (count <= chunk) {
      return this.piece(`(?:${piece.text}){0,${count}}`, size, piece.repeat * count);
    }
    const rest = this.upTo(piece, count - chunk);
    const few = chunk === 1 ? "" : `(?:${piece.text}){0,${chunk - 1}}`;
    const many = `(?:${piece.text}){${chunk}}${rest.text}`;
    return this.piece(`(?:${few}|${many})`, 2 * chunk * piece.size + rest.size, MAX_REPEAT);
  }
}

/**
 * Translates alternatives to RE2 syntax. A lookbehind is kept as it is; a lookahead becomes a lookbehind on reversed
 * text.
 * @returns undefined if there is no form that runs in linear time, or only one that is too large
 */
export function translate(
  alternatives: readonly AST.Alternative[],
  unicode: boolean,
): Translation | undefined {
  for (const reversed of [false, true]) {
    const translator = new Translator(unicode, reversed);
    try {
      const { text, size } = translator.alternatives(alternatives);
      return { text, size, lookbehinds: translator.lookbehinds, reversed };
    } catch (error) {
      if (!(error instanceof Untranslatable)) throw error;
    }
  }
  return undefined;
}
