import { withoutCards } from "./card-numbers.ts";
import { REDACTED, withoutKnownSecrets } from "./known-secrets.ts";

/**
 * Texts that are secrets anywhere. Each pattern is bounded, or free of nested repetition, so that it takes linear
 * time.
 */
const PATTERNS: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----[^-]{0,16384}(?:-----END [A-Z ]{0,32}PRIVATE KEY-----)?/g,
  // RFC 6750, section 2.1, and RFC 7617, section 2.
  /\b(?:Bearer|Basic)[ ]{1,4}[\w~+/.-]{8,}={0,2}/gi,
  /\b(?:sk|pk|rk)[-_][\w-]{16,}/g,
  /\b(?:gh[opsur]_|github_pat_|glpat-|npm_|hf_|pypi-|dop_v1_|shpat_)\w[\w-]{15,}/g,
  /\bxox[abeoprs]-[\w-]{10,}/g,
  /\b(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b/g,
  /\bAIza[\w-]{35}/g,
  // Our own: `touchstone key create`.
  /\bts_[\w-]{43}/g,
  // The user part of a URL, RFC 3986, section 3.2.1.
  /(?<=:\/\/)[^\s/?#@:"]{0,256}:[^\s/?#@"]{1,256}(?=@)/g,
];

/** A JSON Web Token, RFC 7519. */
const TOKEN = /\beyJ[\w-]{8,}\.eyJ[\w-]{4,}\.[\w-]*/;

/**
 * A secret after an escape: the text may be JSON or escaped for display, so that `\n` puts a letter right before the
 * secret. Tested first by the backslash, which most texts lack.
 */
const BEHIND_ESCAPE = new RegExp(
  String.raw`(\\(?:[bfnrtv]|u[0-9a-f]{4}))(?:${[...PATTERNS, TOKEN]
    .filter(({ source }) => source.startsWith(String.raw`\b`))
    .map(({ source }) => source.slice(2))
    .join("|")})`,
  "gi",
);

/** A text without its secrets, and how many there were. */
export interface Redacted {
  readonly text: string;
  readonly redactions: number;
}

/**
 * Removes texts that look like a secret: tokens, API keys, private keys, passwords in URLs, payment card numbers
 * (ISO/IEC 7812-1, with a valid check digit), and what was read from files of secrets. Never throws.
 */
export function redactText(text: string): Redacted {
  let redactions = 0;
  const replace = (): string => {
    redactions += 1;
    return REDACTED;
  };
  let kept = withoutTokens(withoutKnownSecrets(text, replace), replace);
  for (const pattern of PATTERNS) kept = kept.replace(pattern, replace);
  kept = kept.replace(BEHIND_ESCAPE, (_, mark: string) => mark + replace());
  return { text: withoutCards(kept, replace), redactions };
}

/** The payload and the signature of a JSON Web Token, RFC 7519: header and payload are objects, so both begin with `{"`. */
const PAYLOAD = /\.eyJ[\w-]{4,}\.[\w-]*/g;
const HEADER = /\beyJ[\w-]{8,}$/;
const IN_TOKEN = /[\w-]/;

/**
 * Removes JSON Web Tokens. Finds the payload first and then searches backwards for the header: starting from the
 * header, many beginnings would each be read to the same end.
 */
function withoutTokens(text: string, replace: () => string): string {
  let out = "";
  let kept = 0;
  PAYLOAD.lastIndex = 0;
  for (let found = PAYLOAD.exec(text); found !== null; found = PAYLOAD.exec(text)) {
    let start = found.index;
    while (start > kept && IN_TOKEN.test(text[start - 1] ?? "")) start -= 1;
    const header = HEADER.exec(text.slice(start, found.index));
    if (header === null) PAYLOAD.lastIndex = found.index + 1;
    else {
      out += text.slice(kept, start + header.index) + replace();
      kept = PAYLOAD.lastIndex;
    }
  }
  return out + text.slice(kept);
}

const SECRET_WORDS =
  /passw(?:or)?d|passphrase|secret|apikey|accesskey|privatekey|signingkey|encryptionkey|authorization|credential|cookie|connectionstring|cardnumber|creditcard/;
const SECRET_ENDS = /(?:^|[a-z])token$|^(?:auth|pwd|pass|pin|ssn|cvv|cvc|otp|jwt|bearer|iban)$/;

/** Returns whether a member with this name contains a secret: `api_key`, `X-Api-Key`, `clientSecret`, `token` … */
export function isSecretName(name: string): boolean {
  const plain = name
    .slice(0, 256)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "");
  return SECRET_WORDS.test(plain) || SECRET_ENDS.test(plain);
}
