import type { AST } from "@eslint-community/regexpp";

/** Thrown if a search for texts takes too many steps, or needs a pattern with syntax that is not supported here. */
export class UndecidedError extends Error {}

/** A set of texts that may follow at one place of a text: a number that identifies it. */
export type Language = number;

/** What is known at a place of a text. */
export interface MatchContext {
  readonly isStart: boolean;
  /** Whether the symbol before is a word character. */
  readonly afterWord: boolean;
  /** For each lookbehind, whether it matches the text before. */
  readonly behind: readonly boolean[];
  /** A number that identifies this combination. */
  readonly key: number;
}

type Node =
  | { readonly kind: "all" | "none" | "end" }
  /** A symbol of a set, by its number. */
  | { readonly kind: "symbol"; readonly set: number; readonly next: Language }
  | {
      readonly kind: "repeat";
      readonly element: AST.Element;
      readonly unicode: boolean;
      readonly min: number;
      readonly max: number;
      readonly next: Language;
    }
  /** The texts of `here` may begin at any place from this one on. */
  | { readonly kind: "search"; readonly here: Language; readonly unicode: boolean }
  | { readonly kind: "start"; readonly next: Language }
  | { readonly kind: "word"; readonly negate: boolean; readonly next: Language }
  | {
      readonly kind: "behind";
      readonly look: number;
      readonly negate: boolean;
      readonly next: Language;
    }
  | { readonly kind: "and" | "or"; readonly parts: readonly Language[] }
  | { readonly kind: "not"; readonly part: Language };

export const EVERY_TEXT: Language = 0;
export const NO_TEXT: Language = 1;
export const ONLY_END: Language = 2;

/** Makes the languages of a pattern's parts, for repeats and searches that are unfolded later. */
export interface PatternOrigin {
  readonly element: (element: AST.Element, unicode: boolean, next: Language) => Language;
  readonly any: (unicode: boolean, next: Language) => Language;
}

/**
 * The symbol that is read: for each set, whether it contains the symbol (undefined at the end), and whether the symbol
 * is a word character.
 */
export interface ReadSymbol {
  readonly number: number;
  readonly within: readonly boolean[] | undefined;
  readonly isWord: boolean;
}

const MAX_DEPTH = 1_500;

/**
 * Computes sets of texts by their derivatives: the texts that may follow after one more symbol (Brzozowski 1964, with
 * complements).
 */
export class Languages {
  readonly #nodes: Node[] = [{ kind: "all" }, { kind: "none" }, { kind: "end" }];
  readonly #ids: Map<string, Language> = new Map();
  readonly #unfolded: Map<Language, Language> = new Map();
  readonly #known: Map<number, Map<Language, Language>> = new Map();
  /** The repeats that are being unfolded, each with its depth. */
  readonly #active: Map<Language, number> = new Map();
  readonly #unfolding: PatternOrigin;
  /**
   * The least depth of a repeat that was reached again while it was unfolded. Results at greater depths depend on it
   * and are not cached.
   */
  #back = Number.POSITIVE_INFINITY;
  #depth = 0;
  #steps: number;

  constructor(unfolding: PatternOrigin, steps: number) {
    this.#unfolding = unfolding;
    this.#steps = steps;
  }

  /** @throws UndecidedError if no steps are left */
  spend(steps: number): void {
    this.#steps -= steps;
    if (this.#steps < 0) throw new UndecidedError();
  }

  /** Returns the steps that are left. */
  get left(): number {
    return this.#steps;
  }

  #add(key: string, node: Node): Language {
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    this.spend(1);
    const id = this.#nodes.push(node) - 1;
    this.#ids.set(key, id);
    return id;
  }

  symbol(set: number, next: Language): Language {
    if (next === NO_TEXT) return NO_TEXT;
    return this.#add(`s${set} ${next}`, { kind: "symbol", set, next });
  }

  repeat(
    element: AST.Element,
    unicode: boolean,
    min: number,
    max: number,
    next: Language,
  ): Language {
    if (max === 0) return next;
    const node = { kind: "repeat", element, unicode, min, max, next } as const;
    // Since there are no backreferences, elements with the same source text match the same texts.
    return this.#add(`r${unicode} ${min} ${max} ${next} ${element.raw}`, node);
  }

  search(here: Language, unicode: boolean): Language {
    return this.#add(`f${here} ${unicode}`, { kind: "search", here, unicode });
  }

  start(next: Language): Language {
    return this.#add(`^${next}`, { kind: "start", next });
  }

  word(negate: boolean, next: Language): Language {
    return this.#add(`b${negate} ${next}`, { kind: "word", negate, next });
  }

  behind(look: number, negate: boolean, next: Language): Language {
    return this.#add(`<${look} ${negate} ${next}`, { kind: "behind", look, negate, next });
  }

  and(parts: readonly Language[]): Language {
    return this.#joined("and", parts, EVERY_TEXT, NO_TEXT);
  }

  or(parts: readonly Language[]): Language {
    return this.#joined("or", parts, NO_TEXT, EVERY_TEXT);
  }

  not(part: Language): Language {
    if (part === EVERY_TEXT) return NO_TEXT;
    if (part === NO_TEXT) return EVERY_TEXT;
    const node = this.#nodes[part];
    return node?.kind === "not" ? node.part : this.#add(`!${part}`, { kind: "not", part });
  }

  #joined(
    kind: "and" | "or",
    parts: readonly Language[],
    neutral: Language,
    heaviest: Language,
  ): Language {
    const all = new Set<Language>();
    for (const part of parts) {
      const node = this.#nodes[part];
      if (node?.kind === kind) for (const one of node.parts) all.add(one);
      else if (part !== neutral) all.add(part);
    }
    this.spend(1 + (all.size >> 2));
    if (all.has(heaviest)) return heaviest;
    for (const part of all) {
      const node = this.#nodes[part];
      if (node?.kind === "not" && all.has(node.part)) return heaviest;
    }
    const sorted = [...all].sort((a, b) => a - b);
    const [only] = sorted;
    if (sorted.length < 2) return only ?? neutral;
    return this.#add(`${kind}${sorted.join()}`, { kind, parts: sorted });
  }

  /**
   * Returns what may follow after a symbol, or {@link EVERY_TEXT} or {@link NO_TEXT} at the end: whether the text is in it.
   */
  after(language: Language, read: ReadSymbol, context: MatchContext): Language {
    if (language === EVERY_TEXT || language === NO_TEXT) return language;
    const place = context.key * 4_096 + read.number;
    let known = this.#known.get(place);
    if (known === undefined) {
      known = new Map();
      this.#known.set(place, known);
    }
    return this.#after(language, read, context, known);
  }

  #after(
    language: Language,
    read: ReadSymbol,
    context: MatchContext,
    known: Map<Language, Language>,
  ): Language {
    const already = known.get(language);
    if (already !== undefined) return already;
    this.spend(1);
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new UndecidedError();
    const before = this.#back;
    this.#back = Number.POSITIVE_INFINITY;
    const result = this.#derived(language, read, context, known);
    this.#depth -= 1;
    if (this.#back > this.#depth) {
      known.set(language, result);
      this.#back = before;
    } else this.#back = Math.min(before, this.#back);
    return result;
  }

  #derived(
    language: Language,
    read: ReadSymbol,
    context: MatchContext,
    known: Map<Language, Language>,
  ): Language {
    const node = this.#nodes[language] as Node;
    const go = (next: Language): Language => this.#after(next, read, context, known);
    switch (node.kind) {
      case "all":
        return EVERY_TEXT;
      case "none":
        return NO_TEXT;
      case "end":
        return read.within === undefined ? EVERY_TEXT : NO_TEXT;
      case "symbol":
        return read.within?.[node.set] === true ? node.next : NO_TEXT;
      case "start":
        return context.isStart ? go(node.next) : NO_TEXT;
      case "word":
        return (context.afterWord !== read.isWord) !== node.negate ? go(node.next) : NO_TEXT;
      case "behind":
        return context.behind[node.look] !== node.negate ? go(node.next) : NO_TEXT;
      case "and":
        return this.#each(node.parts, go, NO_TEXT, (parts) => this.and(parts));
      case "or":
        return this.#each(node.parts, go, EVERY_TEXT, (parts) => this.or(parts));
      case "not":
        return this.not(go(node.part));
      default: {
        // A repeat that is reached again without reading a symbol matches nothing new.
        const depth = this.#active.get(language);
        if (depth !== undefined) {
          this.#back = Math.min(this.#back, depth);
          return NO_TEXT;
        }
        this.#active.set(language, this.#depth);
        const result = go(this.#unfold(language, node));
        this.#active.delete(language);
        return result;
      }
    }
  }

  #each(
    parts: readonly Language[],
    go: (part: Language) => Language,
    heaviest: Language,
    join: (parts: readonly Language[]) => Language,
  ): Language {
    const found: Language[] = [];
    for (const part of parts) {
      const next = go(part);
      if (next === heaviest) return heaviest;
      found.push(next);
    }
    return join(found);
  }

  #unfold(
    language: Language,
    node: Extract<Node, { readonly kind: "repeat" | "search" }>,
  ): Language {
    const known = this.#unfolded.get(language);
    if (known !== undefined) return known;
    let result: Language;
    if (node.kind === "search") {
      result = this.or([node.here, this.#unfolding.any(node.unicode, language)]);
    } else {
      const { element, unicode, min, max, next } = node;
      const [least, most] = [Math.max(0, min - 1), max - 1];
      const rest = this.repeat(element, unicode, least, most, next);
      const round = this.#unfolding.element(element, unicode, rest);
      result = min > 0 ? round : this.or([next, round]);
    }
    this.#unfolded.set(language, result);
    return result;
  }
}
