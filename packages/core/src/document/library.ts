import { decodeUtf8, encodeUtf8 } from "../json/text.ts";
import type { OwnDialect } from "../keywords/dialect.ts";
import { admitDocument, parseSchema } from "./admit.ts";
import type { AdmittedDocument, Documents } from "./admitted.ts";
import { SCHEMA_LIMITS, SchemaFaultError, type SchemaLimits } from "./fault.ts";
import { isJson, quotedExcerpt } from "./json.ts";
import { OFFICIAL_DOCUMENTS } from "./metaschemas.ts";
import { readSource } from "./source.ts";
import { DEFAULT_BASE, resolveUri } from "./uri.ts";

/** Documents for references, by URI: a schema as a value in memory, or its JSON text as a string or UTF-8. */
export type SchemaDocuments = Readonly<Record<string, unknown>> | ReadonlyMap<string, unknown>;

function entriesOf(documents: SchemaDocuments | undefined): Iterable<[string, unknown]> {
  if (documents === undefined) return [];
  return documents instanceof Map ? documents.entries() : Object.entries(documents);
}

/** How many characters of documents to search for names, for one schema. */
const MAX_SEARCHED = 268_435_456;
/**
 * Returns the part of a URI that any reference to it contains: what follows the last slash or question mark.
 * Undefined if it is empty, or may be written in other ways.
 */
function lastPart(uri: string): string | undefined {
  const part = /^[a-z][a-z0-9+.-]*:\/\/[^/?]*[/?](?:.*[/?])?([^/?]+)$/.exec(uri)?.[1];
  return part?.includes("%") ? undefined : part;
}

/** Matches characters of an ASCII name as JSON or a URI may escape them (RFC 3986, section 2.1). */
function escapesOf(part: string): RegExp {
  const codes = [...new Set(part)].map((each) => each.charCodeAt(0).toString(16).padStart(2, "0"));
  return new RegExp(`(?:\\\\u00|%)(?:${codes.join("|")})`, "i");
}

/** The documents that a caller passes with a schema, and the official metaschemas; read on first use. */
export class DocumentLibrary implements Documents {
  private readonly sources: Map<string, unknown> = new Map();
  private readonly admitted: Map<string, AdmittedDocument> = new Map();
  private readonly raw: Map<string, unknown> = new Map();
  private searched = 0;
  private readonly fallback: OwnDialect;
  private readonly limits: SchemaLimits;

  /** @param fallback the dialect of documents without `$schema`. */
  constructor(
    documents: SchemaDocuments | undefined,
    fallback: OwnDialect,
    limits: SchemaLimits = SCHEMA_LIMITS,
  ) {
    this.fallback = fallback;
    this.limits = limits;
    for (const [key, source] of entriesOf(documents)) {
      const uri = resolveUri(DEFAULT_BASE, key)?.uri ?? key;
      if (!this.sources.has(uri)) this.sources.set(uri, source);
    }
  }

  /**
   * Returns the URIs of the caller's documents that may contain a name, judged by their text, so that unrelated ones
   * are not read.
   */
  *naming(uri: string): Iterable<string> {
    const part = lastPart(uri);
    const escapes = escapesOf(part ?? "");
    // One document may be kept under several URIs.
    const known = new Map<unknown, boolean>();
    for (const [kept, source] of this.sources) {
      const holds = part === undefined || (known.get(source) ?? this.mayHold(kept, part, escapes));
      known.set(source, holds);
      if (holds) yield kept;
    }
  }

  private mayHold(kept: string, part: string, escapes: RegExp): boolean {
    // Beyond this limit documents are read without a search; the limit on subschemas then bounds the work.
    if (this.searched > MAX_SEARCHED) return true;
    try {
      const text = decodeUtf8(this.bytes(kept));
      this.searched += text.length;
      return text.includes(part) || escapes.test(text);
    } catch (thrown) {
      if (!(thrown instanceof SchemaFaultError)) throw thrown;
      return false;
    }
  }

  /** Returns a document as plain JSON, to find out which dialect it describes. Never throws for its content. */
  readonly find = (key: string): unknown => {
    const uri = resolveUri(DEFAULT_BASE, key)?.uri ?? key;
    const official = OFFICIAL_DOCUMENTS.find(uri);
    if (official !== undefined) return official;
    if (!this.sources.has(uri)) return undefined;
    if (!this.raw.has(uri)) {
      let value: unknown;
      try {
        value = parseSchema(this.bytes(uri), this.limits).value;
      } catch (thrown) {
        if (!(thrown instanceof SchemaFaultError)) throw thrown;
      }
      this.raw.set(uri, value);
    }
    return this.raw.get(uri);
  };

  /**
   * The document that is kept at a URI.
   * @throws SchemaFaultError if the document exists and is not a schema.
   */
  document(uri: string): AdmittedDocument | undefined {
    const known = this.admitted.get(uri);
    if (known !== undefined) return known;
    const made = this.admit(uri);
    if (made !== undefined) this.admitted.set(uri, made);
    return made;
  }

  private admit(uri: string): AdmittedDocument | undefined {
    if (!this.sources.has(uri)) {
      return OFFICIAL_DOCUMENTS.document(uri);
    }
    try {
      return admitDocument(this.bytes(uri), this.fallback, this.limits, this.find);
    } catch (thrown) {
      if (!(thrown instanceof SchemaFaultError)) throw thrown;
      const { code, message, path } = thrown.fault;
      const where = path === "" ? "" : ` at ${path}`;
      throw new SchemaFaultError(code, `in the document ${quotedExcerpt(uri)}${where}: ${message}`);
    }
  }

  private bytes(uri: string): Uint8Array {
    const source = this.sources.get(uri);
    if (typeof source === "string") return encodeUtf8(source);
    if (source instanceof Uint8Array) return source;
    if (!isJson(source) && typeof source !== "boolean") {
      throw new SchemaFaultError("not_a_schema", "it is neither an object nor a boolean, nor text");
    }
    const read = readSource({ value: source }, this.limits);
    if (read.fault !== undefined) throw new SchemaFaultError(read.fault);
    return read.bytes;
  }
}
