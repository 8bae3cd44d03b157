import fastUri from "fast-uri";
import { escapePointer } from "../json/pointer.ts";
import { SchemaFaultError } from "./fault.ts";
import { quotedExcerpt } from "./json.ts";

/** A URI and its fragment, as it is after the `#`. */
export interface SplitUri {
  readonly uri: string;
  readonly fragment: string;
}

/**
 * The base of a document without one (RFC 3986, section 5.1.4). Nothing is looked up there; it makes relative
 * identifiers comparable.
 */
export const DEFAULT_BASE = "schema://document/";

/** Splits a URI reference at its first `#`. */
export function splitUri(reference: string): SplitUri {
  const at = reference.indexOf("#");
  return at < 0
    ? { uri: reference, fragment: "" }
    : { uri: reference.slice(0, at), fragment: reference.slice(at + 1) };
}

/**
 * Resolves a URI reference against a base without a fragment (RFC 3986, section 5.2) and normalizes it (section
 * 6.2.2), so that equal identifiers have equal text.
 * @returns the URI and its fragment; undefined if the reference is malformed. Never throws.
 */
export function resolveUri(base: string, reference: string): SplitUri | undefined {
  const { uri, fragment } = splitUri(reference);
  // A reference into the same document never changes the base, whatever its scheme.
  if (uri === "") return { uri: base, fragment };
  try {
    return { uri: splitUri(fastUri.resolve(base, uri)).uri, fragment };
  } catch {
    return undefined;
  }
}

/** Decodes a fragment; undefined if its percent-encoding is malformed. */
export function decodeFragment(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}

/** Encodes a reference token for a URI fragment (RFC 6901, section 6). Never throws. */
export function fragmentToken(token: string): string {
  // Replaces lone surrogates, which cannot be percent-encoded.
  return encodeURIComponent(escapePointer(token).toWellFormed());
}

/** Longest reference, including its base. */
const MAX_URI_LENGTH = 8192;
/** How many characters of references and their bases to resolve for one schema. */
const MAX_RESOLVED_LENGTH = 2_000_000;

/** Resolves the references and identifiers of one schema, with bounded work. */
export class UriResolver {
  private left = MAX_RESOLVED_LENGTH;

  /**
   * {@link resolveUri}.
   * @throws SchemaFaultError `too_large`
   */
  resolve(base: string, reference: string): SplitUri | undefined {
    const mark = reference.indexOf("#");
    const length = base.length + (mark < 0 ? reference.length : mark);
    // A reference that adds nothing to its base is not counted: the base itself was checked before.
    if (length === base.length) return resolveUri(base, reference);
    if (length > MAX_URI_LENGTH) {
      throw new SchemaFaultError(
        "too_large",
        `the URI reference ${quotedExcerpt(reference)} has, with its base, more than ${MAX_URI_LENGTH} characters`,
      );
    }
    this.left -= length;
    if (this.left < 0) {
      throw new SchemaFaultError(
        "too_large",
        `the identifiers and references of the schema, with their bases, have more than ${MAX_RESOLVED_LENGTH} characters; shorten them`,
      );
    }
    return resolveUri(base, reference);
  }
}
