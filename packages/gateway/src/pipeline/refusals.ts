import { createHash } from "node:crypto";
import { isObject } from "@touchstone/core";
import type { Frame } from "@touchstone/protocol";
import type { Caller } from "../policy/caller.ts";
import { BoundedMap } from "../util/bounded-map.ts";

/** Calls of one server that are remembered, and for how long, in milliseconds. */
const MAX_CALLS = 1_000;
const KEPT_MS = 600_000;
/** Longer arguments are compared byte by byte. */
const MAX_CANONICAL = 65_536;

/** Who calls, as far as a conversation has learnt of it. */
interface Speaker {
  readonly session?: string;
  readonly credentials?: string;
  readonly caller?: Pick<Caller, "name"> | undefined;
  readonly client?: string;
}

/** The calls of one server that were refused for their arguments. Only hashes are kept, of the last 1,000, for 10 minutes. */
export class Refusals {
  readonly #calls: BoundedMap<string, number> = new BoundedMap(MAX_CALLS);
  readonly #now: () => number;

  /** @param now milliseconds on a clock that never goes back */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Remembers a call that is refused. Returns whether the same was refused before: in the same session or, without one,
   * with the same credentials, by the same caller and client. The order of names in the arguments makes no difference.
   */
  repeats(frame: Frame, tool: string, { session, credentials, caller, client }: Speaker): boolean {
    const who = session ?? JSON.stringify([credentials, caller?.name, client]);
    const hash = createHash("sha256").update(JSON.stringify([who, tool]));
    const key = hash.update(argumentsOf(frame)).digest("base64");
    const now = this.#now();
    const before = this.#calls.get(key);
    this.#calls.set(key, now);
    return before !== undefined && now - before <= KEPT_MS;
  }
}

/** Returns the arguments in a form that depends on nothing but their value; as they came if that takes long, or loses digits. */
function argumentsOf(frame: Frame): string | Uint8Array {
  const range = frame.range("/params/arguments");
  if (range === undefined) return "{}";
  const bytes = frame.bytes.subarray(range.start, range.end);
  if (bytes.length > MAX_CANONICAL || frame.scan.exact !== true) return bytes;
  try {
    return JSON.stringify(JSON.parse(frame.text(range)), (_name, member: unknown) => {
      if (!isObject(member)) return member;
      return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
    });
  } catch {
    return bytes;
  }
}
