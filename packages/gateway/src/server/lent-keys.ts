import { randomBytes } from "node:crypto";
import type { Identity } from "../transport/http/identity.ts";

/** A key that the gateway's own client sends, so that what it sends is treated as its caller's own message. */
export interface LentKey {
  readonly key: string;
  /** Ends the key. */
  giveBack(): void;
}

/** Lends keys to the gateway's own clients. A key never leaves the process but over loopback, to the gateway itself. */
export class LentKeys {
  readonly #lent: Map<string, Identity> = new Map();

  /** Returns a key that identifies its sender as somebody else. */
  lend(identity: Identity): LentKey {
    const key = randomBytes(32).toString("base64url");
    this.#lent.set(key, identity);
    return { key, giveBack: () => void this.#lent.delete(key) };
  }

  /** Returns for whom a key was lent; undefined if it was not, or has ended. */
  of(key: string): Identity | undefined {
    return this.#lent.get(key);
  }
}
