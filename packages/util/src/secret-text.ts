import { foldText, MAX_FOLDED } from "@touchstone/core/advanced";
import { withoutCards } from "./card-numbers.ts";
import { REDACTED, withoutKnownSecrets } from "./known-secrets.ts";

/**
 * Texts that are secrets anywhere. Each pattern is bounded, or free of nested repetition, so that it takes linear
 * time.
 */
const PATTERNS: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----[^-]{0,16384}(?:-----END [A-Z ]{0,32}PRIVATE KEY-----)?/g,
  // RFC 6750, section 2.1, and RFC 7617, section 2.
  /\b(?:Bearer|Basic)(?:[ \t\u00a0]{1,64}|%20)[\w~+/.-]{8,}={0,2}/gi,
  /\b(?:sk|pk|rk)[-_][\w-]{16,}/g,
  /\b(?:gh[opsur]_|github_pat_|glpat-|npm_|hf_|pypi-|dop_v1_|shpat_)\w[\w-]{15,}/g,
  /\bxox[abeoprs]-[\w-]{10,}/g,
  /\b(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b/g,
  /\bAIza[\w-]{35}/g,
  // Our own: `touchstone key create`.
  /\bts_[\w-]{43}/g,
  // The user part of a URL, RFC 3986, section 3.2.1. Passwords may also have `@`, `/`, `?` and `#`, unless it
  // looks like a port and a path. JSON may escape the slashes.
  /(?<=:\\{0,16}\/\\{0,16}\/)[^\s/?#@:"]{0,256}:[^\s/?#"]{1,1024}(?=@)/g,
  /(?<=:\\{0,16}\/\\{0,16}\/)[^\s/?#@:"]{0,256}:(?!\d{0,5}[/?#\\])[^\s@"]{1,256}(?=@)/g,
  /(?<=%3A%2F%2F)[^\s%"]{0,256}%3A[^\s"]{1,256}?(?=%40)/gi,
  // The same part of a data source name of Go's database drivers: `user:password@tcp(host)`.
  /(?<=[\w.-]):[^\s"'@/]{1,64}(?=@(?:tcp|unix)\()/g,
  // The signature of a URL that grants access by itself.
  /(?<=[?&](?:sig|signature|x-(?:amz|goog)-signature)=)[\w%+/=-]{8,512}/gi,
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
export interface RedactedText {
  readonly text: string;
  readonly redactions: number;
}

/**
 * Removes texts that look like a secret: tokens, API keys, private keys, passwords in URLs, payment card numbers
 * (ISO/IEC 7812-1, with a valid check digit), and values that were read from files of secrets. Never throws.
 */
export function redactText(text: string): RedactedText {
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
  /passw(?:or)?d|passphrase|passcode|passwort|kennwort|contrasena|motdepasse|secret|apikey|accesskey|privatekey|signingkey|encryptionkey|authorization|credential|cookie|connectionstring|cardnumber|creditcard|pincode|otpcode|(?:seed|recovery)phrase|(?:recovery|backup|security|verification)code/;
const SECRET_ENDS =
  /token$|pwd$|mnemonic$|^(?:auth|pw|pass|pin|ssn|cv[vc]2?|t?otp|jwt|psk|bearer|iban)$/;
/** Short words that are a secret at the end of a name, if they are a word of it: `DB_PASS`, `smtpPass`, not `bypass`. */
const SECRET_WORD = /(?:[^A-Za-z](?:pass|pw|otp|jwt|psk|cv[vc]2?)|[a-z\d](?:Pass|Pw|Otp|Jwt|Psk))$/;
const SHOUTED_WORD = /[^A-Za-z](?:PASS|PW|OTP|JWT|PSK|CV[VC]2?)$/;
const MAX_READ: number = MAX_FOLDED / 4;
/** Letters of other scripts that look like one of a secret's name. */
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{
      а: "a",
      с: "c",
      е: "e",
      і: "i",
      к: "k",
      о: "o",
      р: "p",
      ѕ: "s",
      т: "t",
      у: "y",
      ԁ: "d",
      ԝ: "w",
    },
    ...{ α: "a", ο: "o", ρ: "p", κ: "k", ν: "v", τ: "t", ι: "i" },
  }),
);

/**
 * Returns whether a member with this name contains a secret: `api_key`, `X-Api-Key`, `clientSecret`, `token` … Case,
 * signs, accents, width and letters that look alike make no difference. For a long name, only its beginning and end are
 * read.
 */
export function isSecretName(name: string): boolean {
  const read = name.length > 2 * MAX_READ ? name.slice(0, MAX_READ) + name.slice(-MAX_READ) : name;
  const plain = (foldText(read, "search") ?? read.toLowerCase())
    .replace(/[\u0370-\u052f]/g, (letter) => LOOK_ALIKES.get(letter) ?? letter)
    .replace(/[^a-z0-9]/g, "");
  return (
    SECRET_WORDS.test(plain) ||
    SECRET_ENDS.test(plain) ||
    SECRET_WORD.test(read) ||
    SHOUTED_WORD.test(read)
  );
}
