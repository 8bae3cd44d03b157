import { randomBytes } from "node:crypto";
import type { Identity } from "../transport/http/identity.ts";

/** A key for the gateway's own client, so that its messages count as its caller's. */
export interface LentKey {
  readonly key: string;
  /** Revokes the key. */
  giveBack(): void;
}

/** Lends keys to the gateway's own clients. A key only leaves the process over loopback, to the gateway itself. */
export class LentKeys {
  readonly #lent: Map<string, Identity> = new Map();

  /** Returns a key that identifies its sender as another client. */
  lend(identity: Identity): LentKey {
    const key = randomBytes(32).toString("base64url");
    this.#lent.set(key, identity);
    return { key, giveBack: () => void this.#lent.delete(key) };
  }

  /** Returns the identity that a key was lent for; undefined if it was not lent, or was revoked. */
  of(key: string): Identity | undefined {
    return this.#lent.get(key);
  }
}
