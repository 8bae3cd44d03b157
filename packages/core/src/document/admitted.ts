import type { Decimals } from "../json/exact.ts";
import type { FindMetaschema } from "./dialects.ts";
import type { Json } from "./json.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** A schema document that is within the limits, of a known dialect and valid in it. */
export interface AdmittedDocument {
  /** A tree of plain JSON values that nobody else changes. */
  readonly schema: Json | boolean;
  readonly vocabulary: Vocabulary;
  /** The numbers of its text that are not doubles, by RFC 6901 pointer. */
  readonly decimals: Decimals;
}

/** Documents that the references of a schema may lead to, by absolute URI. */
export interface Documents {
  /** Looks up a metaschema. */
  readonly find: FindMetaschema;
  /** The document that is kept at a URI. @throws FaultError where it is there and no schema. */
  document(uri: string): AdmittedDocument | undefined;
  /** The URIs of those that may give that name to themselves or to a part of them. */
  naming(uri: string): Iterable<string>;
}
