import { DIALECTS, dialectOf } from "../keywords/dialect.ts";
import { SchemaFaultError } from "./fault.ts";
import { isJson, type Json, quotedExcerpt } from "./json.ts";
import {
  chooseVocabulary,
  isPolicy,
  keywordOf,
  refHidesSiblings,
  type Vocabulary,
  vocabularyOf,
} from "./vocabulary.ts";

/** Returns a metaschema by its URI, as plain JSON that was not checked. */
export type FindMetaschema = (uri: string) => unknown;

/** How many metaschemas may follow one another before an official one is reached. */
const MAX_METASCHEMAS = 8;

function unknownDialect(uri: string, path: string): SchemaFaultError {
  return new SchemaFaultError(
    "unknown_dialect",
    `the dialect ${quotedExcerpt(uri)} at ${path} is not known; use ${DIALECTS.join(", ")}`,
    path,
  );
}

/**
 * Returns the vocabulary of a resource's `$schema`: one of the dialects, or the part that a custom metaschema's
 * `$vocabulary` leaves of one (2020-12 Core, section 8.1).
 * @param path pointer to the `$schema`.
 * @throws SchemaFaultError `unknown_dialect`
 */
export function vocabularyAt(uri: string, path: string, find: FindMetaschema): Vocabulary {
  const official = dialectOf(uri);
  if (official !== undefined) return vocabularyOf(official);
  // A metaschema is named without a fragment; an empty one is accepted.
  const mark = uri.indexOf("#");
  if (mark >= 0 && mark < uri.length - 1) throw unknownDialect(uri, path);
  let metaschema = find(uri);
  let declared: Json | undefined;
  for (let i = 0; i < MAX_METASCHEMAS && isJson(metaschema); i++) {
    // The nearest declaration counts: it says what the schemas may use.
    if (declared === undefined && isJson(metaschema["$vocabulary"])) {
      declared = metaschema["$vocabulary"];
    }
    const next = metaschema["$schema"];
    if (typeof next !== "string") break;
    const dialect = dialectOf(next);
    if (dialect === undefined) metaschema = find(next);
    else if (declared === undefined) return vocabularyOf(dialect);
    else {
      const chosen = chooseVocabulary(dialect, declared);
      if (typeof chosen !== "string") return chosen;
      throw new SchemaFaultError(
        "unknown_dialect",
        `the dialect ${quotedExcerpt(uri)} at ${path} requires the vocabulary ${quotedExcerpt(chosen)}, which is not known`,
        path,
      );
    }
  }
  throw unknownDialect(uri, path);
}

/** Returns the identifier of a schema in a vocabulary; in older drafts a `$ref` beside it makes it void. */
export function identifierOf(schema: Json, vocabulary: Vocabulary): string | undefined {
  if (refHidesSiblings(vocabulary) && typeof ownOf(schema, "$ref") === "string") return undefined;
  const keyword = keywordOf(vocabulary, "$id") === undefined ? "id" : "$id";
  const id = ownOf(schema, keyword);
  return typeof id === "string" ? id : undefined;
}

function ownOf(schema: Json, keyword: string): unknown {
  return Object.hasOwn(schema, keyword) ? schema[keyword] : undefined;
}

/**
 * Returns the vocabulary of an embedded schema: its own if it is a resource (it has an identifier other than a
 * fragment) and names a dialect (2020-12 Core, section 9.3.3), else that of its surroundings.
 * @param path makes the pointer to the schema.
 * @throws SchemaFaultError `unknown_dialect`
 */
export function embeddedVocabulary(
  schema: Json,
  around: Vocabulary,
  path: () => string,
  find: FindMetaschema,
): Vocabulary {
  const uri = ownOf(schema, "$schema");
  // A policy has one dialect: another one would disable its keywords.
  if (typeof uri !== "string" || isPolicy(around)) return around;
  // Drafts name the identifier differently, so both names are tried here, and the name of the schema's own dialect
  // below.
  const id = ownOf(schema, "$id") ?? ownOf(schema, "id");
  if (typeof id !== "string" || id.startsWith("#")) return around;
  const own = vocabularyAt(uri, `${path()}/$schema`, find);
  return identifierOf(schema, own) === undefined ? around : own;
}
