import { ERROR_CODES, revisionOf } from "@touchstone/protocol/advanced";
import { KNOWN_METHODS, MAX_NAME_CHARACTERS, OTHER_LABEL } from "../conventions.ts";
import type { Labels } from "../metrics.ts";

/** For how many names of tools and prompts to keep separate series, for each server. */
export const MAX_LABEL_NAMES = 200;
/** For how many callers to keep separate series, over all servers. */
export const MAX_CALLERS = 100;

/** How many sets of labels to keep for each server. */
const MAX_KEPT = 2_000;

const CODES: ReadonlySet<number> = new Set(Object.values(ERROR_CODES));

/** Returns a method of MCP, or {@link OTHER_LABEL}: clients may send any text. */
export function methodLabel(method: string): string {
  return KNOWN_METHODS.has(method) ? method : OTHER_LABEL;
}

/** Returns a released revision of MCP, or {@link OTHER_LABEL}. */
export function revisionLabel(revision: string): string {
  return revisionOf(revision) === undefined ? OTHER_LABEL : revision;
}

/** Returns a code of JSON-RPC or MCP, or {@link OTHER_LABEL}: servers may send any number. */
export function codeLabel(code: number): string {
  return CODES.has(code as (typeof ERROR_CODES)[keyof typeof ERROR_CODES])
    ? String(code)
    : OTHER_LABEL;
}

/**
 * Limits the names in labels and span names to the first {@link MAX_LABEL_NAMES} that servers list, by server and kind. All
 * others share {@link OTHER_LABEL}, however many tools a server lists and however many names a client makes up.
 */
export class LabelNameLimit {
  readonly #names: Map<string, Set<string>> = new Map();
  readonly #kept: WeakMap<object, Map<string, Labels>> = new WeakMap();
  readonly #callers: Set<string> = new Set();

  /**
   * Returns the same labels object for the same key, so that the counter recognizes it; if there are too many keys,
   * it returns new objects.
   * @param place part of the key
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
   * Returns a name in a form that every system accepts, or {@link OTHER_LABEL}. An unpaired surrogate becomes U+FFFD in
   * exports, and for Prometheus an empty label is a missing one: such names would share a series, which would then be
   * exported twice.
   * @param isListed whether a list has such a tool or prompt
   */
  label(server: string, kind: "prompt" | "tool", told: string, isListed: boolean): string {
    if (told === "") return OTHER_LABEL;
    const name = told.toWellFormed();
    const key = `${kind} ${server}`;
    let names = this.#names.get(key);
    if (names?.has(name)) return name;
    if (!isListed) return OTHER_LABEL;
    if (names === undefined) {
      names = new Set();
      this.#names.set(key, names);
    }
    if (names.size >= MAX_LABEL_NAMES) return OTHER_LABEL;
    names.add(name);
    return name;
  }

  /**
   * Returns the name of one of the first {@link MAX_CALLERS} callers, or {@link OTHER_LABEL}: an issuer of tokens may name
   * any number of callers.
   */
  caller(told: string): string {
    const name = told.toWellFormed();
    if (name === "") return OTHER_LABEL;
    if (this.#callers.size < MAX_CALLERS) this.#callers.add(name);
    return this.#callers.has(name) ? name : OTHER_LABEL;
  }

  /** Learns the names in the text of a `prompts/list` result; ignores any other text. */
  listPrompts(server: string, text: string): void {
    for (const prompt of prompts(text)) {
      const isNamed = typeof prompt === "object" && prompt !== null && "name" in prompt;
      if (isNamed && typeof prompt.name === "string") {
        this.label(server, "prompt", prompt.name.slice(0, MAX_NAME_CHARACTERS), true);
      }
    }
  }
}

function prompts(text: string): readonly unknown[] {
  try {
    const { prompts: listed } = JSON.parse(text) as { readonly prompts?: unknown };
    return Array.isArray(listed) ? listed : [];
  } catch {
    return [];
  }
}
