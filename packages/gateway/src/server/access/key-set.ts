import { messageOf } from "@touchstone/core/advanced";
import { tlsErrorText } from "@touchstone/util";
import type { JSONWebKeySet, JWTVerifyGetKey } from "jose";
import { boundedBody } from "./bounded-body.ts";

type Jose = typeof import("jose");

/** Largest key set to read, in bytes. */
const MAX_BYTES = 1_048_576;
const TIMEOUT_MS = 5_000;
/** How long fetched keys count. A key that the issuer removes is refused after that. */
const FRESH_MS = 600_000;
/** An unknown key causes another fetch, at most this often. */
const UNKNOWN_MS = 60_000;
/** After a failure, how long to wait before the next fetch. */
const RETRY_MS = 5_000;

/** The issuer's keys cannot be fetched. */
export class KeySetError extends Error {}

/**
 * The public keys of an issuer (JSON Web Key Set, RFC 7517, section 5), fetched from its URL on demand and kept for
 * ten minutes. Follows no redirect and reads at most 1 MiB.
 */
export class KeySet {
  /** Returns the key that verifies a token. Rejects with a {@link KeySetError} if the keys cannot be fetched. */
  readonly key: JWTVerifyGetKey;
  readonly #keys: ReturnType<Jose["createRemoteJWKSet"]>;
  readonly #now: () => number;
  #failed: { readonly at: number; readonly reason: string } | undefined;

  /** @param now a monotonic clock, in milliseconds */
  constructor(jose: Jose, url: URL, now: () => number = () => performance.now()) {
    this.#now = now;
    this.#keys = jose.createRemoteJWKSet(url, {
      cacheMaxAge: FRESH_MS,
      cooldownDuration: UNKNOWN_MS,
      timeoutDuration: TIMEOUT_MS,
      [jose.customFetch]: (address, options) => this.#fetch(address, options),
    });
    this.key = this.#keys;
  }

  /** Fetches the keys. */
  fetch(): Promise<void> {
    return this.#keys.reload();
  }

  async #fetch(address: string, options: RequestInit): Promise<Response> {
    const failed = this.#failed;
    const pause = this.#keys.fresh ? UNKNOWN_MS : RETRY_MS;
    if (failed !== undefined && this.#now() - failed.at < pause) {
      throw new KeySetError(failed.reason);
    }
    try {
      const response = await read(address, options);
      this.#failed = undefined;
      return response;
    } catch (error) {
      const reason = `cannot fetch the issuer's keys (auth.jwt.jwks_url): ${causeOf(error)}`;
      this.#failed = { at: this.#now(), reason };
      throw new KeySetError(reason, { cause: error });
    }
  }
}

/** Reads a key set as a whole, so that no part of it is trusted before all of it was read. */
async function read(address: string, options: RequestInit): Promise<Response> {
  const response = await fetch(address, { ...options, redirect: "manual" });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`the response has the HTTP status ${response.status}`);
  }
  const body = await boundedBody(response, MAX_BYTES);
  if (body === undefined) throw new Error(`the response is larger than ${MAX_BYTES} bytes`);
  const set = JSON.parse(body.toString("utf8")) as Partial<JSONWebKeySet> | null;
  if (!Array.isArray(set?.keys)) throw new Error("the response is not a JSON Web Key Set");
  return Response.json(set);
}

/** Node's `fetch` only says that it failed; the cause says why. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return tlsErrorText(cause) ?? messageOf(cause);
}
