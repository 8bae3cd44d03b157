import { createHash } from "node:crypto";
import { decodeUtf8, isObject, scanJson } from "@touchstone/core/advanced";
import { BoundedMap } from "@touchstone/util";
import type { Caller } from "../features/caller.ts";

/** How many calls of one server to remember, and for how long, in milliseconds. */
const MAX_CALLS = 1_000;
const KEPT_MS = 600_000;
/** Longer arguments are compared byte for byte. */
const MAX_CANONICAL = 65_536;

/** The caller, as far as the conversation knows it. */
interface Speaker {
  readonly session?: string;
  readonly credentials?: string;
  readonly caller?: Pick<Caller, "name"> | undefined;
  readonly client?: string;
}

/** The calls of one server that were refused for their arguments: hashes of the last 1,000, for 10 minutes. */
export class Refusals {
  readonly #calls: BoundedMap<string, number> = new BoundedMap(MAX_CALLS);
  readonly #now: () => number;

  /** @param now returns the time of a monotonic clock, in milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Remembers a refused call. Returns whether the same was refused before: in the same session or, without one, with
   * the same credentials, by the same caller and client. The order of names in the arguments makes no difference.
   * @param args their JSON text; `{}` if it is absent
   */
  repeats(
    args: Uint8Array | undefined,
    tool: string,
    { session, credentials, caller, client }: Speaker,
  ): boolean {
    const who = session ?? JSON.stringify([credentials, caller?.name, client]);
    const hash = createHash("sha256").update(JSON.stringify([who, tool]));
    const key = hash.update(canonical(args)).digest("base64");
    const now = this.#now();
    const before = this.#calls.get(key);
    this.#calls.set(key, now);
    return before !== undefined && now - before <= KEPT_MS;
  }
}

/**
 * Returns the arguments in a form that depends only on their value; unchanged if that would take long, or lose
 * information.
 */
function canonical(bytes: Uint8Array | undefined): string | Uint8Array {
  if (bytes === undefined) return "{}";
  if (bytes.length > MAX_CANONICAL) return bytes;
  const { error, duplicates, lossyNumbers } = scanJson(bytes, { duplicates: true, numbers: true });
  if (error !== undefined || duplicates.length + lossyNumbers.length > 0) return bytes;
  try {
    return JSON.stringify(JSON.parse(decodeUtf8(bytes)), (_name, member: unknown) => {
      if (!isObject(member)) return member;
      return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
    });
  } catch {
    return bytes;
  }
}
