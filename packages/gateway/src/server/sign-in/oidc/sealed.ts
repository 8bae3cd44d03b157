import { scrypt } from "node:crypto";
import { promisify } from "node:util";
import { lateImport } from "@touchstone/util";
import type { JWTPayload } from "jose";
import type { OidcSettings } from "../../../config/config.ts";

const loadJose = lateImport(() => import("jose"), { isRare: true });
const derive = promisify(scrypt) as (
  secret: string,
  salt: string,
  length: number,
) => Promise<Buffer>;

const ALGORITHMS = { alg: "dir", enc: "A256GCM" } as const;
/** Longest text to open, in characters: browsers keep cookies of 4 KiB. */
const MAX_SEALED = 4_096;

/**
 * Encrypts the data that a browser keeps for the gateway in a cookie (JSON Web Encryption, RFC 7516): nobody else can
 * read, change or make it, and it expires. The key is derived from the provider's client secret, which all gateways
 * of a fleet have, so the browser may come back to another gateway, and requests of strangers use no storage.
 */
export class CookieSealer {
  readonly #settings: OidcSettings;
  #key: Promise<Uint8Array> | undefined;

  constructor(settings: OidcSettings) {
    this.#settings = settings;
  }

  /**
   * Returns a sealed value.
   * @param use the purpose of the value: it cannot be opened for another one
   */
  async seal(
    use: string,
    value: Readonly<Record<string, string>>,
    seconds: number,
  ): Promise<string> {
    const { EncryptJWT } = await loadJose();
    return new EncryptJWT({ ...value })
      .setProtectedHeader(ALGORITHMS)
      .setAudience(this.#audience(use))
      .setExpirationTime(`${seconds} s`)
      .encrypt(await this.#secret());
  }

  /** Returns a value that was sealed for the same use; undefined if it was not, or has expired. */
  async open(use: string, sealed: string): Promise<JWTPayload | undefined> {
    if (sealed.length > MAX_SEALED) return undefined;
    const { jwtDecrypt } = await loadJose();
    try {
      const { payload } = await jwtDecrypt(sealed, await this.#secret(), {
        audience: this.#audience(use),
        keyManagementAlgorithms: [ALGORITHMS.alg],
        contentEncryptionAlgorithms: [ALGORITHMS.enc],
        requiredClaims: ["exp"],
      });
      return payload;
    } catch {
      return undefined;
    }
  }

  #audience(use: string): string {
    return `${use} ${this.#settings.name}`;
  }

  /** The derivation is slow on purpose: nobody who has a sealed value may guess a weak secret by trying. */
  #secret(): Promise<Uint8Array> {
    const { issuer, clientId, clientSecret } = this.#settings;
    this.#key ??= derive(clientSecret, JSON.stringify(["touchstone", issuer, clientId]), 32);
    return this.#key;
  }
}
