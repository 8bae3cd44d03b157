import { unescapePointer } from "./json/pointer.ts";

/** How an issue counts: as a violation, as a warning, or not at all. */
export type Treatment = "violation" | "warning" | "ignore";

/** Every {@link Treatment}, most severe first. */
export const TREATMENTS: readonly Treatment[] = ["violation", "warning", "ignore"];

/**
 * Treatments by class of issue (`extra`) and by place: a JSON Pointer (RFC 6901), or a pattern of pointers. An issue
 * that no key covers is a violation. See {@link RuleSet} for which key wins.
 */
export type Rules = Readonly<Record<string, Treatment | undefined>>;

/** How members count that no part of a schema declares. */
export interface Undeclared {
  readonly treat: Exclude<Treatment, "ignore">;
  /** Whether to search for them in every object, not only in the whole value. Default false. */
  readonly deep?: boolean;
}

/** One name that matches exactly, any one name (`*`), or any number of names (`**`). */
type Segment = { readonly name: string } | "*" | "**";

/** Patterns with more segments are refused. */
const MAX_SEGMENTS = 64;

/** Returns whether a key of rules names places: such a key begins with `/`. Other keys name classes. */
export function isPlaceKey(key: string): boolean {
  return key.startsWith("/");
}

/**
 * Returns what is wrong with a key of rules that begins with `/`; undefined if it is a valid pointer or pattern of
 * pointers.
 */
export function placeFault(key: string): string | undefined {
  if (key.split("/").length > MAX_SEGMENTS + 1) return `it has more than ${MAX_SEGMENTS} segments`;
  return /~(?![012])/.test(key)
    ? 'in a name, "~" is written "~0", "/" is "~1", and "*" alone is "~2"'
    : undefined;
}

function segmentOf(text: string): Segment {
  return text === "*" || text === "**"
    ? text
    : { name: unescapePointer(text.replaceAll("~2", "*")) };
}

/** Returns the key for exactly the place that a pointer leads to. */
export function placeKey(pointer: string): string {
  return pointer
    .split("/")
    .map((text) => (text === "*" || text === "**" ? text.replaceAll("*", "~2") : text))
    .join("/");
}

/** A pattern of pointers, and the treatment of what it matches. */
interface Pattern {
  readonly segments: readonly Segment[];
  readonly treatment: Treatment;
}

function count(segments: readonly Segment[], is: (segment: Segment) => boolean): number {
  return segments.filter(is).length;
}

/** Orders patterns: more names first, then fewer `**`, then more `*`; of equal ones, the more severe treatment. */
function bySpecificity(a: Pattern, b: Pattern): number {
  const names = (one: Pattern) => count(one.segments, (segment) => typeof segment === "object");
  const spans = (one: Pattern) => count(one.segments, (segment) => segment === "**");
  const each = (one: Pattern) => count(one.segments, (segment) => segment === "*");
  const weight = (one: Pattern) => TREATMENTS.indexOf(one.treatment);
  return names(b) - names(a) || spans(a) - spans(b) || each(b) - each(a) || weight(a) - weight(b);
}

/**
 * Returns whether a pattern matches all tokens. Backtracks to the last `**` only, because each `**` may match any
 * number of tokens.
 */
function matches(segments: readonly Segment[], tokens: readonly string[]): boolean {
  let segment = 0;
  let token = 0;
  let span = -1;
  let from = 0;
  while (token < tokens.length) {
    const here = segments[segment];
    if (here === "**") {
      span = segment++;
      from = token;
    } else if (here === "*" || (typeof here === "object" && here.name === tokens[token])) {
      segment++;
      token++;
    } else if (span === -1) {
      return false;
    } else {
      segment = span + 1;
      token = ++from;
    }
  }
  while (segments[segment] === "**") segment++;
  return segment === segments.length;
}

/** The place of an issue. */
export interface IssuePlace {
  /** Its `path`. */
  readonly pointer: string;
  /** The names and indexes that the pointer leads through. */
  readonly tokens: readonly string[];
}

/**
 * Rules, ready to be applied. The most specific key wins: a place before a class; of places, the one with more names;
 * then `*` before `**`; then the more severe treatment. `*` is one name or index, and `**` is any number of them, so
 * that `/a/**` covers `/a` and everything inside. A name that is `*` or `**` is written `~2` or `~2~2`.
 */
export class RuleSet {
  readonly #classes: ReadonlyMap<string, Treatment>;
  /** Places without `*` and `**`: nothing is more specific. */
  readonly #exact: Map<string, Treatment> = new Map();
  readonly #patterns: readonly Pattern[];
  /** Steps per token for finding a treatment by place. */
  readonly cost: number;

  /** Ignores keys that begin with `/` and have a {@link placeFault}. */
  constructor(rules: Rules) {
    const classes = new Map<string, Treatment>();
    const patterns: Pattern[] = [];
    for (const [key, treatment] of Object.entries(rules)) {
      if (treatment === undefined) continue;
      if (!isPlaceKey(key)) classes.set(key, treatment);
      else if (placeFault(key) === undefined) {
        const segments = key.slice(1).split("/").map(segmentOf);
        const isExact = segments.every((segment) => typeof segment === "object");
        if (isExact) this.#exact.set(key.replaceAll("~2", "*"), treatment);
        else patterns.push({ segments, treatment });
      }
    }
    this.#classes = classes;
    this.#patterns = patterns.sort(bySpecificity);
    this.cost = patterns.reduce((sum, { segments }) => sum + segments.length, 0);
  }

  /** Whether some rules are about places. */
  get hasPlaces(): boolean {
    return this.#exact.size > 0 || this.#patterns.length > 0;
  }

  /** Returns how issues of a class count if no rule covers their place. */
  ofClass(rule: string): Treatment {
    return this.#classes.get(rule) ?? "violation";
  }

  /** Returns how issues at a place count; undefined if no rule covers it. */
  ofPlace({ pointer, tokens }: IssuePlace): Treatment | undefined {
    const exact = this.#exact.get(pointer);
    if (exact !== undefined) return exact;
    return this.#patterns.find(({ segments }) => matches(segments, tokens))?.treatment;
  }
}

const sets = new WeakMap<Rules, RuleSet>();

/** Returns the rule set for these rules, the same one for the same object, because rules are never changed. */
export function ruleSetOf(rules: Rules): RuleSet {
  const known = sets.get(rules);
  if (known !== undefined) return known;
  const made = new RuleSet(rules);
  sets.set(rules, made);
  return made;
}
