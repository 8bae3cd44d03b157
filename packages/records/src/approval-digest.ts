import { createHash } from "node:crypto";
import type { PinItem, PinKind } from "./contracts/pin-store.ts";

/** Most digests of one record. */
export const MAX_DIGESTS = 400;
/** A digest, and the id of the record that it was carried from. */
const DIGEST = String.raw`[\w-]{43}(?:\.[0-7][0-9A-HJKMNP-TV-Z]{25})?`;
const DIGESTS = new RegExp(`^${DIGEST}(?: ${DIGEST}){0,${MAX_DIGESTS - 1}}$`);

/** A digest in a record. */
export interface CarriedDigest {
  readonly digest: string;
  /** Id of the record that was first to have it; undefined if that is this record. */
  readonly origin: string | undefined;
}

/** Returns whether a text is a value of field `approvals`. */
export function isDigests(text: string): boolean {
  return DIGESTS.test(text);
}

/** Returns the value of field `approvals` for up to {@link MAX_DIGESTS} digests. */
export function digestsText(digests: readonly (string | CarriedDigest)[]): string {
  return digests
    .map((of) => (typeof of === "string" ? of : [of.digest, of.origin].filter(Boolean).join(".")))
    .join(" ");
}

/** Returns the digests in a value of field `approvals`. */
export function readDigests(text: string): readonly CarriedDigest[] {
  return text.split(" ").map((part) => {
    const [digest = "", origin] = part.split(".");
    return { digest, origin };
  });
}

/** Returns the digest for a declaration that was approved, or whose approval was withdrawn. */
export function approvalDigest(
  state: "approved" | "revoked",
  server: string,
  { kind, name, hash }: PinItem,
): string {
  return digestOf([state, server, kind, name, hash]);
}

/** Returns the digest for the first use of a server's declarations of a kind. */
export function firstUseDigest(server: string, kind: PinKind | string): string {
  return digestOf(["first use", server, kind]);
}

/** The digest in the record that marks the start of recorded approvals. */
export const BEGIN_DIGEST: string = digestOf(["begin"]);

function digestOf(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}
