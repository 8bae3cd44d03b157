import { randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { givenKey, sameSecret } from "../../transport/http/access.ts";
import type { Logger } from "../../util/log.ts";
import { AdminError } from "./errors.ts";
import type { SignIn } from "./sign-in.ts";

/**
 * Who may change settings: whoever has the API key, which the listener has asked for already, or
 * where none is configured, whoever has read the token that was printed when the gateway started, or
 * has signed in with the code of a link.
 */
export class WriteAccess {
  readonly #token: string = randomBytes(32).toString("base64url");
  readonly #signIn: SignIn;
  #told = false;

  constructor(signIn: SignIn) {
    this.#signIn = signIn;
  }

  /** Prints the token, once. */
  tell(log: Logger): void {
    if (this.#told) return;
    this.#told = true;
    log.info(
      "settings can be changed in the console and over /api/v1 with this token, until serve ends",
      { token: this.#token },
    );
  }

  /**
   * @param apiKey the configured one, which the listener has checked
   * @throws {AdminError} `TOKEN_REQUIRED`
   */
  check(headers: IncomingHttpHeaders, apiKey: string | undefined): void {
    if (apiKey !== undefined) return;
    const given = givenKey(headers);
    if (given !== undefined && (sameSecret(given, this.#token) || this.#signIn.accepts(given)))
      return;
    const what = given === undefined ? "needs a token" : "needs another token";
    throw new AdminError(
      "TOKEN_REQUIRED",
      `A change of settings ${what}: the one that touchstone serve printed on stderr when it started (at the log levels info and debug). Send it as a Bearer token or as X-API-Key, or configure auth.api_key and send that.`,
      { headers: { "www-authenticate": "Bearer" } },
    );
  }
}
