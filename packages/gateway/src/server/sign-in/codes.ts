import { randomBytes } from "node:crypto";
import { rememberSecret } from "@touchstone/util";
import { sameSecret } from "../access/access.ts";

/** How long a code is valid, in milliseconds. */
export const CODE_MS = 60_000;
/** How many codes and tabs to remember; the oldest ones are dropped first. */
const MAX_CODES = 32;
const MAX_TOKENS = 256;

const secret = (): string => randomBytes(32).toString("base64url");

/**
 * Signs a browser in without showing it the API key. A link carries a code, which works once and for 60 s, and signs
 * the browser in with the role `admin`.
 */
export class SignInCodes {
  /**
   * A secret with which a command of the same user requests a code. It is stored only in the data directory, in a
   * file that no other user can read.
   */
  readonly localSecret: string = secret();
  /** The operator's token, valid until the gateway ends. It is stored in the same way as {@link localSecret}. */
  readonly startToken: string = secret();
  readonly #now: () => number;
  /** When each code expires, oldest first. */
  readonly #codes: Map<string, number> = new Map();
  readonly #tokens: string[] = [];

  /** @param now a monotonic clock, in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    rememberSecret(this.startToken);
  }

  /** Returns a new code. */
  issue(): string {
    const code = secret();
    this.#codes.set(code, this.#now() + CODE_MS);
    for (const [oldest] of this.#codes) {
      if (this.#codes.size <= MAX_CODES) break;
      this.#codes.delete(oldest);
    }
    return code;
  }

  /** Uses a code up. Returns false if it is unknown, used, or older than 60 s. */
  use(given: string): boolean {
    const code = [...this.#codes.keys()].find((known) => sameSecret(given, known));
    if (code === undefined) return false;
    const ends = this.#codes.get(code) ?? 0;
    this.#codes.delete(code);
    return this.#now() < ends;
  }

  /** Returns a token for a code; undefined if the code cannot be used. Uses the code up. */
  exchange(given: string): string | undefined {
    if (!this.use(given)) return undefined;
    const token = secret();
    this.#tokens.push(token);
    if (this.#tokens.length > MAX_TOKENS) this.#tokens.shift();
    return token;
  }

  /** Returns whether a key is the operator's token, which counts only if there is no `auth.admin_key`. */
  isStartToken(key: string): boolean {
    return sameSecret(key, this.startToken);
  }

  /** Returns whether a key was issued for a code. */
  accepts(key: string): boolean {
    return this.#tokens.some((token) => sameSecret(key, token));
  }

  /** Revokes all codes and tokens. */
  revoke(): void {
    this.#codes.clear();
    this.#tokens.length = 0;
  }
}
