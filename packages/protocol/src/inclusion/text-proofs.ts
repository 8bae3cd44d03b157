import { findText } from "@touchstone/core/advanced";
import { objectOrEmpty, type SchemaParts, sizeBounds } from "./schema-parts.ts";

/** The maximum steps of one search for a text, and of all searches together. */
const SEARCH_STEPS = 100_000;
const MAX_STEPS = 1_500_000;

/** Further requirements on texts, in addition to those of the parts. */
interface AskedText {
  readonly matched?: readonly string[];
  readonly missed?: readonly string[];
  readonly minLength?: number;
  readonly maxLength?: number;
}

/** Proves, by the automaton of some patterns, that no text meets certain requirements. */
export class TextProofs {
  readonly #known: Map<string, boolean> = new Map();
  #left = MAX_STEPS;

  /** Returns whether no text satisfies the patterns and lengths of the parts and the further requirements. */
  hasNone(parts: SchemaParts, asked: AskedText = {}): boolean {
    const ofParts = parts.flatMap(({ pattern }) => (typeof pattern === "string" ? [pattern] : []));
    const avoided = parts.flatMap(({ not }) => {
      const { pattern, type = "string", ...others } = objectOrEmpty(not);
      const isOnly = type === "string" && Object.keys(others).length === 0;
      return isOnly && typeof pattern === "string" ? [pattern] : [];
    });
    const [own, ownMost] = sizeBounds(parts, "minLength", "maxLength");
    const least = Math.max(own, asked.minLength ?? 0);
    const most = Math.min(ownMost, asked.maxLength ?? Number.POSITIVE_INFINITY);
    if (least > most) return true;
    const matched = [...new Set([...ofParts, ...(asked.matched ?? [])])];
    const missed = [...new Set([...avoided, ...(asked.missed ?? [])])];
    if (matched.some((source) => missed.includes(source))) return true;
    if (matched.length === 0 && missed.length === 0) return false;
    const key = JSON.stringify([matched, missed, least, most]);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#left <= 0) return false;
    this.#left -= SEARCH_STEPS;
    const wanted = { matched, missed, minLength: least, maxLength: most };
    const found = findText(wanted, SEARCH_STEPS);
    this.#known.set(key, found.kind === "none");
    return found.kind === "none";
  }
}
