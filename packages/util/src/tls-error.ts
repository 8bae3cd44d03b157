import { codeOf } from "./errors.ts";

const UNTRUSTED =
  "its certificate is not trusted here. Set NODE_EXTRA_CA_CERTS to a PEM file with the certificate of its authority, and start again";
const PLAIN = "it does not respond with TLS; if it serves plain HTTP, use http:// in its URL";

/** What Node's codes of failed TLS connections mean (OpenSSL's verify codes, and its errors). */
const TEXTS: ReadonlyMap<string, string> = new Map([
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", UNTRUSTED],
  ["UNABLE_TO_GET_ISSUER_CERT", UNTRUSTED],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", UNTRUSTED],
  ["SELF_SIGNED_CERT_IN_CHAIN", UNTRUSTED],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", UNTRUSTED],
  ["CERT_UNTRUSTED", UNTRUSTED],
  ["CERT_HAS_EXPIRED", "its certificate has expired"],
  ["ERR_SSL_WRONG_VERSION_NUMBER", PLAIN],
  ["ERR_SSL_PACKET_LENGTH_TOO_LONG", PLAIN],
  ["ERR_SSL_HTTP_REQUEST", PLAIN],
]);

/** Returns why a TLS connection failed, in one line for people; undefined for any other error. */
export function tlsErrorText(error: unknown): string | undefined {
  const code = codeOf(error);
  const known = TEXTS.get(code);
  if (known !== undefined) return withMessage(known, code, error);
  // OpenSSL's own text contains a thread id, a source file and line feeds.
  return /^(?:ERR_SSL_|EPROTO$)/.test(code) ? `the TLS connection failed (${code})` : undefined;
}

function withMessage(text: string, code: string, error: unknown): string {
  const isOfCertificate = text !== PLAIN && error instanceof Error;
  return isOfCertificate ? `${error.message}: ${text}` : `${text} (${code})`;
}
