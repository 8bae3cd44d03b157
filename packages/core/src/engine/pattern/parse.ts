import { type AST, RegExpParser, visitRegExpAST } from "@eslint-community/regexpp";
import { type CodeSet, codeSet, complement, EMPTY_SET, unionOfSets } from "./code-set.ts";
import { propertySet } from "./property.ts";

/** Maximum length of a pattern, in UTF-16 code units. */
const MAX_SOURCE_LENGTH = 1 << 13;
/** Maximum nesting of groups and lookarounds. */
const MAX_GROUP_DEPTH = 200;

/** Maximum number of Unicode properties in one pattern; each is looked up in all of Unicode. */
const MAX_PROPERTIES = 8;
/** Maximum number of their uses: the runtime's own parser looks up each one. */
const MAX_PROPERTY_USES = 64;

/** Thrown for a pattern that is too long, too deeply nested or has too many Unicode properties. */
export class PatternLimitError extends Error {
  override readonly name = "PatternLimitError";
}

/** A parsed regular expression. */
export interface ParsedPattern {
  readonly source: string;
  /** Whether text is treated as code points (flag `u`) rather than UTF-16 code units. */
  readonly unicode: boolean;
  readonly pattern: AST.Pattern;
}

// Excludes the modifiers and duplicate names of ECMAScript 2025, which not every runtime supports, so that a schema
// means the same in all of them.
const parser = new RegExpParser({ ecmaVersion: 2024 });

/** Returns the deepest nesting of parentheses outside classes. */
function groupDepth(source: string): number {
  let depth = 0;
  let deepest = 0;
  let inClass = false;
  for (let i = 0; i < source.length; i++) {
    const c = source[i];
    if (c === "\\") i++;
    else if (c === "]") inClass = false;
    else if (inClass) continue;
    else if (c === "[") inClass = true;
    else if (c === "(") deepest = Math.max(deepest, ++depth);
    else if (c === ")") depth--;
  }
  return deepest;
}

/**
 * Parses a JSON Schema pattern (2020-12 Core, section 6.4): as ECMAScript in Unicode mode or, if it is not valid
 * there, as with `\-`, in non-Unicode mode.
 * @throws SyntaxError if it is not a regular expression in either mode.
 * @throws PatternLimitError if it exceeds the limits.
 */
export function parsePattern(source: string): ParsedPattern {
  checkLimits(source);
  const parsed = read(source);
  const names = new Set<string>();
  visitRegExpAST(parsed.pattern, {
    onCharacterSetEnter: (node) => node.kind === "property" && names.add(propertyName(node)),
  });
  if (names.size > MAX_PROPERTIES) {
    throw new PatternLimitError(`it has more than ${MAX_PROPERTIES} different Unicode properties`);
  }
  return parsed;
}

function checkLimits(source: string): void {
  const { length } = source;
  if (length > MAX_SOURCE_LENGTH) {
    throw new PatternLimitError(
      `it is too long: ${length} characters, and at most ${MAX_SOURCE_LENGTH} are allowed`,
    );
  }
  if (groupDepth(source) > MAX_GROUP_DEPTH) {
    throw new PatternLimitError(`its groups nest deeper than ${MAX_GROUP_DEPTH}`);
  }
  if (countProperties(source) > MAX_PROPERTY_USES) {
    throw new PatternLimitError(`it uses Unicode properties more than ${MAX_PROPERTY_USES} times`);
  }
}

/** Returns in words which limit a pattern exceeds; undefined if it exceeds none, or is not a pattern. */
export function exceededPatternLimit(source: string): string | undefined {
  try {
    parsePattern(source);
    return undefined;
  } catch (thrown) {
    return thrown instanceof PatternLimitError ? thrown.message : undefined;
  }
}

/** Returns how often `\p{` or `\P{` occurs in a text. */
export function countProperties(source: string): number {
  return source.match(/\\p\{/gi)?.length ?? 0;
}

/** Syntax that runtimes may parse differently from {@link parsePattern}: modifiers, group names, properties. */
const READ_OTHERWISE = /\(\?(?![:=!]|<[=!])|\\p/i;

function isRead(source: string, flags: string): boolean {
  try {
    new RegExp(source, flags);
    return true;
  } catch {
    return false;
  }
}

/** Returns whether {@link parsePattern} accepts the source. Mostly uses the runtime's parser, which is fast. */
export function isPattern(source: string): boolean {
  try {
    checkLimits(source);
    if (READ_OTHERWISE.test(source)) parsePattern(source);
    else return isRead(source, "u") || isRead(source, "");
    return true;
  } catch {
    return false;
  }
}

function read(source: string): ParsedPattern {
  const parse = (unicode: boolean): ParsedPattern => ({
    source,
    unicode,
    pattern: parser.parsePattern(source, 0, source.length, { unicode }),
  });
  try {
    return parse(true);
  } catch (error) {
    try {
      return parse(false);
    } catch {
      throw error;
    }
  }
}

const DIGIT: CodeSet = [0x30, 0x39];
export const WORD_CHARACTERS: CodeSet = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a];
/** WhiteSpace and LineTerminator of ECMA-262, section 12. */
const SPACE: CodeSet = codeSet([
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
]);
const LINE_TERMINATORS: CodeSet = [0x0a, 0x0a, 0x0d, 0x0d, 0x2028, 0x2029];

const ESCAPES = { digit: DIGIT, space: SPACE, word: WORD_CHARACTERS } as const;

/** Returns the highest character: a code point, or a code unit without Unicode mode. */
function maxCharacter(unicode: boolean): number {
  return unicode ? 0x10ffff : 0xffff;
}

/** Returns the name inside `\p{…}`. */
function propertyName(node: AST.UnicodePropertyCharacterSet): string {
  return node.value === null ? node.key : `${node.key}=${node.value}`;
}

const sets = new WeakMap<AST.Node, CodeSet>();

/**
 * Returns the set of characters that the node matches if it consumes exactly one; otherwise undefined.
 * @throws SyntaxError for a Unicode property that the runtime does not know.
 */
export function setOf(node: AST.Node, unicode: boolean): CodeSet | undefined {
  const known = sets.get(node);
  if (known !== undefined) return known;
  const set = readSet(node, unicode);
  if (set !== undefined) sets.set(node, set);
  return set;
}

function readSet(node: AST.Node, unicode: boolean): CodeSet | undefined {
  const max = maxCharacter(unicode);
  switch (node.type) {
    case "Character":
      return [node.value, node.value];
    case "CharacterClassRange":
      return [node.min.value, node.max.value];
    case "CharacterSet": {
      if (node.kind === "any") return complement(LINE_TERMINATORS, max);
      const set = node.kind === "property" ? propertySet(propertyName(node)) : ESCAPES[node.kind];
      return node.negate ? complement(set, max) : set;
    }
    case "CharacterClass": {
      const set = unionOfSets(node.elements.map((element) => setOf(element, unicode) ?? EMPTY_SET));
      return node.negate ? complement(set, max) : set;
    }
    default:
      return undefined;
  }
}
