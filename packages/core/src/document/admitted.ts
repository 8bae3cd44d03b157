import type { ExactDecimals } from "../json/exact.ts";
import type { FindMetaschema } from "./dialects.ts";
import type { Json } from "./json.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** A schema document within the limits, of a known dialect and valid in it. */
export interface AdmittedDocument {
  /** A tree of plain JSON values that nobody else changes. */
  readonly schema: Json | boolean;
  readonly vocabulary: Vocabulary;
  /** The numbers of its text that are not doubles, by RFC 6901 pointer. */
  readonly decimals: ExactDecimals;
}

/** Documents for the references of a schema, by absolute URI. */
export interface Documents {
  /** Looks up a metaschema. */
  readonly find: FindMetaschema;
  /** Returns the document at a URI. @throws SchemaFaultError if it exists but is not a schema. */
  document(uri: string): AdmittedDocument | undefined;
  /** Returns the URIs of documents that may contain that name. */
  naming(uri: string): Iterable<string>;
}
