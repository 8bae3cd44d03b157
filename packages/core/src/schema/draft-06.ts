import type { Ajv } from "ajv";
import { metaschemaUri } from "./dialect.ts";

/** What draft-07 added to draft-06 (draft-07 Core and Validation, "Changes from draft-06"). */
const NEW_IN_DRAFT_07 = [
  "$comment",
  "contentEncoding",
  "contentMediaType",
  "else",
  "if",
  "readOnly",
  "then",
];

/**
 * Draft-06's metaschema, which Ajv has as a JSON file only: draft-07's without its additions.
 * @param ajv an instance that has draft-07's.
 */
export function draft06Metaschema(ajv: Ajv): Record<string, unknown> {
  // Not by `getSchema`, which compiles it.
  const newer = ajv.schemas[metaschemaUri("draft-07")]?.schema;
  const metaschema = JSON.parse(JSON.stringify(newer)) as Record<string, unknown>;
  const properties = metaschema["properties"] as Record<string, unknown>;
  for (const keyword of NEW_IN_DRAFT_07) delete properties[keyword];
  metaschema["$id"] = metaschemaUri("draft-06");
  delete metaschema["$schema"];
  return metaschema;
}
