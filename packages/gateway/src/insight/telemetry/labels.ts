import { ERROR_CODES, revisionOf } from "@touchstone/protocol";
import { METHODS, OTHER } from "./conventions.ts";
import type { Labels } from "./metrics.ts";

/** Names of tools and of prompts that are told apart, for each server. */
export const MAX_NAMES = 200;

/** Sets of labels that are kept for each server, so that they need not be made for each operation. */
const MAX_KEPT = 2_000;

const CODES: ReadonlySet<number> = new Set(Object.values(ERROR_CODES));

/** A method of MCP, or {@link OTHER}: clients may send any text. */
export function methodLabel(method: string): string {
  return METHODS.has(method) ? method : OTHER;
}

/** A released revision of MCP, or {@link OTHER}. */
export function revisionLabel(revision: string): string {
  return revisionOf(revision) === undefined ? OTHER : revision;
}

/** A code of JSON-RPC or MCP, or {@link OTHER}: servers may answer with any number. */
export function codeLabel(code: number): string {
  return CODES.has(code as (typeof ERROR_CODES)[keyof typeof ERROR_CODES]) ? String(code) : OTHER;
}

/**
 * Bounds the names that become labels and parts of span names: the first {@link MAX_NAMES} that
 * exist, by server and kind. All others share {@link OTHER}, however many tools a server lists and
 * however many names a client makes up.
 */
export class NameLimit {
  readonly #names: Map<string, Set<string>> = new Map();
  readonly #kept: WeakMap<object, Map<string, Labels>> = new WeakMap();

  /**
   * The same labels for the same key, as long as not too many are kept.
   * @param place what the key is told apart by, too
   */
  labels(place: object, key: string, make: () => Labels): Labels {
    let kept = this.#kept.get(place);
    if (kept === undefined || kept.size >= MAX_KEPT) {
      kept = new Map();
      this.#kept.set(place, kept);
    }
    let labels = kept.get(key);
    if (labels === undefined) {
      labels = make();
      kept.set(key, labels);
    }
    return labels;
  }

  /**
   * A name as it can be read everywhere, or {@link OTHER}. Half a character becomes U+FFFD on its way out,
   * and to Prometheus a label without a text is none: such names would share a series, which is then told twice.
   * @param known whether there is such a tool or prompt
   */
  label(server: string, kind: "prompt" | "tool", told: string, known: boolean): string {
    if (told === "") return OTHER;
    const name = told.toWellFormed();
    const key = `${kind} ${server}`;
    let names = this.#names.get(key);
    if (names?.has(name)) return name;
    if (!known) return OTHER;
    if (names === undefined) {
      names = new Set();
      this.#names.set(key, names);
    }
    if (names.size >= MAX_NAMES) return OTHER;
    names.add(name);
    return name;
  }
}
