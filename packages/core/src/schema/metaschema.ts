import { Ajv, type Options } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import ajvDraft04 from "ajv-draft-04";
import { type Dialect, metaschemaUri } from "./dialect.ts";
import { draft06Metaschema } from "./draft-06.ts";
import { messageOf, type SchemaFault } from "./fault.ts";

const MAX_DETAILS = 20;

type Validate = ReturnType<Ajv["compile"]>;

/** Makes an engine instance for the dialect with the vocabulary that Ajv has for it. */
function newEngine(dialect: Dialect, options: Options): Ajv {
  // Deprecated in Ajv, but the rule of the older dialects: "$ref" hides the keywords beside it.
  const older = { ...options, ignoreKeywordsWithRef: true };
  switch (dialect) {
    case "draft-04":
      return new ajvDraft04.default(older);
    case "draft-06":
    case "draft-07":
      return new Ajv(older);
    case "2019-09":
      return new Ajv2019(options);
    case "2020-12":
      return new Ajv2020(options);
  }
}

const validators = new Map<Dialect, Validate>();

function metaschemaValidator(dialect: Dialect): Validate {
  const known = validators.get(dialect);
  if (known !== undefined) return known;
  const ajv = newEngine(dialect, {
    allErrors: true,
    strict: false,
    logger: false,
    validateSchema: false,
    ownProperties: true,
    validateFormats: false,
  });
  const made =
    dialect === "draft-06"
      ? ajv.compile(draft06Metaschema(ajv))
      : ajv.getSchema(metaschemaUri(dialect));
  if (made === undefined) throw new Error(`no metaschema for ${dialect}`);
  validators.set(dialect, made);
  return made;
}

type Found = NonNullable<Validate["errors"]>[number];

function describe({ message, params }: Found): string {
  const { allowedValues } = params as { readonly allowedValues?: readonly unknown[] };
  return allowedValues === undefined
    ? `${message}`
    : `${message}: ${allowedValues.map((value) => JSON.stringify(value)).join(", ")}`;
}

/**
 * Checks a schema against its dialect's metaschema; formats are not looked at. Never throws.
 * @returns the first place where it breaks the metaschema, with every place in `details` (at most
 * 20), or nothing.
 */
export function checkMetaschema(schema: unknown, dialect: Dialect): SchemaFault | undefined {
  let errors: readonly Found[];
  try {
    const validate = metaschemaValidator(dialect);
    if (validate(schema) === true) return undefined;
    errors = validate.errors ?? [];
    validate.errors = null;
  } catch (thrown) {
    const message = `the schema could not be checked against the ${dialect} metaschema: ${messageOf(thrown)}`;
    return { code: "uncompilable", message, path: "" };
  }
  const details = errors.slice(0, MAX_DETAILS).map((error): SchemaFault => {
    return { code: "metaschema", message: describe(error), path: error.instancePath };
  });
  const [first] = details;
  const path = first?.path ?? "";
  const where = path === "" ? "the schema" : path;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  const message = `not valid JSON Schema ${dialect}: ${where} ${first?.message ?? "is invalid"}${more}`;
  return { code: "metaschema", message, path, details };
}
