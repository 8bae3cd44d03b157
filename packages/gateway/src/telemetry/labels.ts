import { ERROR_CODES, revisionOf } from "@touchstone/protocol";
import { METHODS, OTHER } from "./conventions.ts";

/** Names of tools and of prompts that are told apart, for each server. */
export const MAX_NAMES = 200;

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

  /** @param known whether there is such a tool or prompt */
  label(server: string, kind: "prompt" | "tool", name: string, known: boolean): string {
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
