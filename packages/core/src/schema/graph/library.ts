import { encodeUtf8 } from "../../json/text.ts";
import type { Dialect } from "../dialect.ts";
import { FaultError, SCHEMA_LIMITS, type SchemaLimits } from "../fault.ts";
import { readSource } from "../source.ts";
import type { AdmittedDocument, Documents } from "./admitted.ts";
import { admitDocument, parseSchema } from "./document.ts";
import { isJson, shown } from "./json.ts";
import { OFFICIAL_DOCUMENTS } from "./metaschemas.ts";
import { DEFAULT_BASE, resolveUri } from "./uri.ts";

/**
 * Documents that references may lead to, by URI: a schema as a value in memory, or its JSON text as
 * a string or UTF-8.
 */
export type SchemaDocuments = Readonly<Record<string, unknown>> | ReadonlyMap<string, unknown>;

function entriesOf(documents: SchemaDocuments | undefined): Iterable<[string, unknown]> {
  if (documents === undefined) return [];
  return documents instanceof Map ? documents.entries() : Object.entries(documents);
}

/** What a caller hands in beside a schema, and the official metaschemas; read when first needed. */
export class Library implements Documents {
  private readonly sources: Map<string, unknown> = new Map();
  private readonly admitted: Map<string, AdmittedDocument> = new Map();
  private readonly raw: Map<string, unknown> = new Map();
  private readonly fallback: Dialect;
  private readonly limits: SchemaLimits;

  /** @param fallback the dialect of documents without `$schema`. */
  constructor(
    documents: SchemaDocuments | undefined,
    fallback: Dialect,
    limits: SchemaLimits = SCHEMA_LIMITS,
  ) {
    this.fallback = fallback;
    this.limits = limits;
    for (const [key, source] of entriesOf(documents)) {
      const uri = resolveUri(DEFAULT_BASE, key)?.uri ?? key;
      if (!this.sources.has(uri)) this.sources.set(uri, source);
    }
  }

  /** The URIs of the documents that the caller handed in. */
  uris(): readonly string[] {
    return [...this.sources.keys()];
  }

  /** A document as plain JSON, to look up which dialect it describes. Never throws for its content. */
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
        if (!(thrown instanceof FaultError)) throw thrown;
      }
      this.raw.set(uri, value);
    }
    return this.raw.get(uri);
  };

  /**
   * The document that is kept at a URI.
   * @throws FaultError where it is there and no schema.
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
      if (!(thrown instanceof FaultError)) throw thrown;
      const { code, message, path } = thrown.fault;
      const where = path === "" ? "" : ` at ${path}`;
      throw new FaultError(code, `in the document ${shown(uri)}${where}: ${message}`);
    }
  }

  private bytes(uri: string): Uint8Array {
    const source = this.sources.get(uri);
    if (typeof source === "string") return encodeUtf8(source);
    if (source instanceof Uint8Array) return source;
    if (!isJson(source) && typeof source !== "boolean") {
      throw new FaultError("not_a_schema", "it is neither an object nor a boolean, nor text");
    }
    const read = readSource({ value: source }, this.limits);
    if (read.fault !== undefined) throw new FaultError(read.fault);
    return read.bytes;
  }
}
