import { Ajv, type ErrorObject, type Options } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import ajvDraft04 from "ajv-draft-04";
import { fullFormats } from "ajv-formats/dist/formats.js";
import { type Decimals, NO_DECIMALS } from "../json/exact.ts";
import type { Dialect } from "./dialect.ts";
import { draft06Metaschema } from "./draft-06.ts";
import { tellBranches } from "./keywords/composite.ts";
import { judgeEquality } from "./keywords/equality.ts";
import { type ExactNumbers, judgeNumbers } from "./keywords/numbers.ts";
import { judgeUnevaluatedProperties } from "./keywords/unevaluated.ts";
import { compilePattern } from "./pattern.ts";
import { FOREIGN_KEYWORDS } from "./vocabulary.ts";

/** An error as the engine gives it. */
export type EngineError = ErrorObject<string, Readonly<Record<string, unknown>>>;

/** A schema that {@link Normalised} preparation has made safe to compile. */
export interface EngineSchema {
  readonly schema: Record<string, unknown> | boolean;
  readonly dialect: Dialect;
  readonly formats: boolean;
  /** Whether it refers to its dialect's metaschema. */
  readonly metaschema: boolean;
  /** The exact numbers in the keywords of its objects. */
  readonly decimals: WeakMap<object, ReadonlyMap<string, Decimals>>;
}

/** Whether to stop at the first error, and whether to judge numbers by their exact values. */
export interface EngineMode {
  readonly allErrors: boolean;
  readonly exact: boolean;
}

/**
 * Judges one value; `decimals` are the exact values of its numbers, for a validator made with
 * `exact`. The errors are empty exactly when it is valid.
 * @throws whatever the engine throws, `RangeError` on exhausted stack among it.
 */
export type Validator = (value: unknown, decimals?: Decimals) => readonly EngineError[];

const regExp = Object.assign((source: string): RegExp => compilePattern(source), {
  code: "new RegExp",
});

const KNOWN_FORMATS: ReadonlySet<string> = new Set(Object.keys(fullFormats));

/** Whether values are checked against the format of that name. */
export function isKnownFormat(name: string): boolean {
  return KNOWN_FORMATS.has(name);
}

/** Makes an engine instance for the dialect with the vocabulary that Ajv has for it. */
export function newEngine(dialect: Dialect, options: Options): Ajv {
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

/**
 * Compiles a schema in an engine instance of its own, so that equal `$id`s in two schemas never
 * meet and nothing outlives the validator.
 * @throws what Ajv throws where it cannot compile the schema.
 */
export function makeValidator(source: EngineSchema, { allErrors, exact }: EngineMode): Validator {
  const ajv = newEngine(source.dialect, {
    allErrors,
    // Gives each error its schema object, from which suggestions are made.
    verbose: allErrors,
    strict: false,
    logger: false,
    meta: source.metaschema,
    validateSchema: false,
    // "addUsedSchema" stays on: only so does a reference by the schema's own URI find it, and in an
    // instance for one schema there is nothing that it could meet.
    // Inlining copies a target into each reference to it, which a hostile schema multiplies.
    inlineRefs: false,
    ownProperties: true,
    validateFormats: source.formats,
    formats: fullFormats,
    code: { regExp },
  });
  if (source.metaschema && source.dialect === "draft-06") {
    ajv.addMetaSchema(draft06Metaschema(ajv));
  }
  for (const keyword of FOREIGN_KEYWORDS[source.dialect]) ajv.removeKeyword(keyword);
  const numbers: ExactNumbers | undefined = exact
    ? {
        instance: NO_DECIMALS,
        ofSchema: (schema, keyword) => source.decimals.get(schema)?.get(keyword),
      }
    : undefined;
  judgeNumbers(ajv, numbers);
  judgeEquality(ajv, numbers);
  judgeUnevaluatedProperties(ajv);
  if (allErrors) tellBranches(ajv);
  const validate = ajv.compile<unknown>(source.schema);
  return (value, decimals = NO_DECIMALS) => {
    if (numbers !== undefined) numbers.instance = decimals;
    try {
      return validate(value) ? [] : ((validate.errors ?? []) as readonly EngineError[]);
    } finally {
      // Errors hold parts of the value.
      validate.errors = null;
      if (numbers !== undefined) numbers.instance = NO_DECIMALS;
    }
  };
}
