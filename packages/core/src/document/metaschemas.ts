import applicator2019 from "ajv/dist/refs/json-schema-2019-09/meta/applicator.json" with {
  type: "json",
};
import content2019 from "ajv/dist/refs/json-schema-2019-09/meta/content.json" with { type: "json" };
import core2019 from "ajv/dist/refs/json-schema-2019-09/meta/core.json" with { type: "json" };
import format2019 from "ajv/dist/refs/json-schema-2019-09/meta/format.json" with { type: "json" };
import metaData2019 from "ajv/dist/refs/json-schema-2019-09/meta/meta-data.json" with {
  type: "json",
};
import validation2019 from "ajv/dist/refs/json-schema-2019-09/meta/validation.json" with {
  type: "json",
};
import schema2019 from "ajv/dist/refs/json-schema-2019-09/schema.json" with { type: "json" };
import applicator2020 from "ajv/dist/refs/json-schema-2020-12/meta/applicator.json" with {
  type: "json",
};
import content2020 from "ajv/dist/refs/json-schema-2020-12/meta/content.json" with { type: "json" };
import core2020 from "ajv/dist/refs/json-schema-2020-12/meta/core.json" with { type: "json" };
import formatAnnotation2020 from "ajv/dist/refs/json-schema-2020-12/meta/format-annotation.json" with {
  type: "json",
};
import metaData2020 from "ajv/dist/refs/json-schema-2020-12/meta/meta-data.json" with {
  type: "json",
};
import unevaluated2020 from "ajv/dist/refs/json-schema-2020-12/meta/unevaluated.json" with {
  type: "json",
};
import validation2020 from "ajv/dist/refs/json-schema-2020-12/meta/validation.json" with {
  type: "json",
};
import schema2020 from "ajv/dist/refs/json-schema-2020-12/schema.json" with { type: "json" };
import draft06 from "ajv/dist/refs/json-schema-draft-06.json" with { type: "json" };
import draft07 from "ajv/dist/refs/json-schema-draft-07.json" with { type: "json" };
import { NO_DECIMALS } from "../json/exact.ts";
import { DIALECTS, type Dialect, dialectOf, metaschemaUri } from "../keywords/dialect.ts";
import type { AdmittedDocument, Documents } from "./admitted.ts";
import draft04 from "./draft-04.json" with { type: "json" };
import { isJson, type Json } from "./json.ts";
import { splitUri } from "./uri.ts";
import { vocabularyOf } from "./vocabulary.ts";

/** The official metaschemas and their parts. Ajv ships most of them; the build bundles them. */
const METASCHEMA_FILES: Readonly<Record<Dialect, readonly object[]>> = {
  "draft-04": [draft04],
  "draft-06": [draft06],
  "draft-07": [draft07],
  "2019-09": [
    schema2019,
    applicator2019,
    content2019,
    core2019,
    format2019,
    metaData2019,
    validation2019,
  ],
  "2020-12": [
    schema2020,
    applicator2020,
    content2020,
    core2020,
    formatAnnotation2020,
    metaData2020,
    unevaluated2020,
    validation2020,
  ],
};

/** An official metaschema, or one of the parts that it is made of. */
export interface Metaschema {
  readonly dialect: Dialect;
  readonly schema: Json;
}

/**
 * For formats in 2020-12, Ajv has only the metaschema of format-annotation; that of format-assertion differs only in
 * its name.
 */
function formatAssertion(annotation: Json): Json {
  const id = `${annotation["$id"]}`.replace("format-annotation", "format-assertion");
  return {
    ...annotation,
    $id: id,
    $vocabulary: { "https://json-schema.org/draft/2020-12/vocab/format-assertion": true },
  };
}

function collect(dialect: Dialect): ReadonlyMap<string, Metaschema> {
  const found = new Map<string, Metaschema>();
  for (const schema of METASCHEMA_FILES[dialect]) {
    if (!isJson(schema)) continue;
    const { uri } = splitUri(`${schema["$id"] ?? schema["id"]}`);
    found.set(uri, { dialect, schema });
    if (uri.endsWith("/2020-12/meta/format-annotation")) {
      const assertion = uri.replace("format-annotation", "format-assertion");
      found.set(assertion, { dialect, schema: formatAssertion(schema) });
    }
  }
  return found;
}

const known = new Map<Dialect, ReadonlyMap<string, Metaschema>>();

function metaschemasOf(dialect: Dialect): ReadonlyMap<string, Metaschema> {
  let found = known.get(dialect);
  if (found === undefined) {
    found = collect(dialect);
    known.set(dialect, found);
  }
  return found;
}

/** Returns the dialect to which the official metaschema with that URI belongs, if it is one. */
function ownerOf(uri: string): Dialect | undefined {
  return DIALECTS.find((dialect) => {
    const own = metaschemaUri(dialect);
    return uri === own || uri.startsWith(`${own.slice(0, own.lastIndexOf("/"))}/meta/`);
  });
}

/** Returns the official metaschema with that URI, from the copies that ship with Ajv; nothing is fetched. */
function officialMetaschema(uri: string): Metaschema | undefined {
  const dialect = ownerOf(uri);
  return dialect === undefined ? undefined : metaschemasOf(dialect).get(uri);
}

/** The official metaschemas as documents. */
export const OFFICIAL_DOCUMENTS: Documents = {
  find: (uri) => officialMetaschema(uri)?.schema,
  document(uri) {
    const dialect = dialectOf(uri);
    const found = officialMetaschema(dialect === undefined ? uri : metaschemaUri(dialect));
    if (found === undefined) return undefined;
    const vocabulary = vocabularyOf(found.dialect);
    return { schema: found.schema, vocabulary, decimals: NO_DECIMALS };
  },
  naming: () => [],
};

const META = "https://json-schema.org/draft/2020-12/meta";
const TEXTS = { type: "array", items: { type: "string" }, minItems: 1 };

/**
 * The metaschema of the dialect for policies. It has no unknown keywords: a misspelled constraint would allow
 * everything.
 */
export const POLICY_METASCHEMA: AdmittedDocument = {
  schema: {
    $id: "urn:touchstone:policy",
    $dynamicAnchor: "meta",
    type: ["object", "boolean"],
    allOf: [
      "core",
      "applicator",
      "unevaluated",
      "validation",
      "meta-data",
      "format-annotation",
      "content",
    ].map((part) => ({ $ref: `${META}/${part}` })),
    properties: {
      $schema: { const: "https://json-schema.org/draft/2020-12/schema" },
      within: {
        type: ["array", "object"],
        items: TEXTS.items,
        minItems: TEXTS.minItems,
        properties: { folders: TEXTS, ignore_case: { type: "boolean" } },
        required: ["folders"],
        additionalProperties: false,
      },
      hosts: {
        type: ["array", "object"],
        items: TEXTS.items,
        minItems: TEXTS.minItems,
        properties: { names: TEXTS, schemes: TEXTS },
        required: ["names"],
        additionalProperties: false,
      },
    },
    unevaluatedProperties: false,
  },
  vocabulary: vocabularyOf("2020-12"),
  decimals: NO_DECIMALS,
};
