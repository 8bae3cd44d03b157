import { escapeUnsafe } from "@touchstone/core/advanced";
import { TouchstoneError } from "@touchstone/util";

/** Why a person is not signed in by a provider. */
export const OIDC_ERRORS = {
  OIDC_NOT_STARTED: [
    400,
    "The browser has no sign-in in progress: its cookie is missing, used, older than 10 minutes, or of another sign-in",
  ],
  OIDC_DENIED: [403, "The identity provider refused to sign the person in"],
  OIDC_RESPONSE_INVALID: [
    502,
    "The identity provider's response cannot be trusted: a state, a nonce, an issuer, a signature, an audience or a time is wrong",
  ],
  OIDC_CODE_REFUSED: [502, "The identity provider refused the authorization code or the client"],
  OIDC_UNREACHABLE: [503, "The identity provider cannot be reached"],
  OIDC_NO_NAME: [403, "The claim with the person's name is missing or cannot be used"],
  OIDC_NO_ROLE: [403, "None of the person's groups has a role in `auth.oidc`"],
  OIDC_TOO_MANY_GROUPS: [
    403,
    "The identity provider left out the groups because there are too many",
  ],
} as const;

export type OidcErrorCode = keyof typeof OIDC_ERRORS;

/** Why a person is not signed in, with the next step. */
export class OidcError extends TouchstoneError<OidcErrorCode> {
  /** More for the log: never a token, a code or a claim's value. */
  readonly reason: string | undefined;

  constructor(code: OidcErrorCode, message: string, reason?: string) {
    super("OidcError", OIDC_ERRORS, code, message);
    this.reason = reason;
  }
}

/** The most characters of a text from outside in a message. */
const MAX_TEXT = 200;

/** Returns a text from outside for a message: in one line, escaped, and cut. */
export function shownText(text: string, most: number = MAX_TEXT): string {
  const cut = text.length > most ? `${text.slice(0, most - 1)}…` : text;
  return escapeUnsafe(cut.replace(/\s+/g, " ").trim());
}
