import type { Treatment } from "./treatment.ts";

/**
 * The class of an issue, so that a policy can treat classes differently.
 *
 * - `type`: JSON Schema `type`
 * - `required`: `required`, `dependentRequired`
 * - `extra`: `additionalProperties`, `additionalItems`, `unevaluated*`, `propertyNames`
 * - `value`: every other keyword (enum, const, bounds, pattern, composites …)
 * - `format`: `format`
 * - `number`: a number that a double cannot hold
 * - `duplicate`: the same key twice in one object
 * - `guard`: over a limit: too large, too deep, too many keys, or too many messages in a batch
 * - `budget`: the check ended without a result, because it would cost too much
 * - `schema`: the schema itself cannot be used
 * - `protocol`: a message breaks JSON-RPC or MCP
 * - `policy`: the operator forbids it
 */
export type Rule =
  | "type"
  | "required"
  | "extra"
  | "value"
  | "format"
  | "number"
  | "duplicate"
  | "guard"
  | "budget"
  | "schema"
  | "protocol"
  | "policy";

/** Every {@link Rule}, in the order in which documentation and reports list them. */
export const RULES: readonly Rule[] = [
  "type",
  "required",
  "extra",
  "value",
  "format",
  "number",
  "duplicate",
  "guard",
  "budget",
  "schema",
  "protocol",
  "policy",
];

/** One thing wrong with a checked value. */
export interface Issue {
  /** RFC 6901 pointer to the offending or missing property; `""` is the root. */
  readonly path: string;
  /** What is wrong, as a sentence (`/city is required`), or in the engine's own words: see `messages` of the options. */
  readonly message: string;
  /** The engine's own words (`must have required property 'city'`), if `message` has others. */
  readonly nativeMessage?: string;
  readonly rule: Rule;
  /** The JSON Schema keyword that failed, if one did. */
  readonly keyword?: string;
  /** The engine's location: for a missing property, the object that lacks it. */
  readonly instancePath?: string;
  /** The location of the keyword in the schema, as a URI fragment (`#/properties/a/type`). */
  readonly schemaPath?: string;
  /**
   * The engine's parameters for the keyword (`{ missingProperty: "city" }`). Those of `type` also have the type that
   * was `received` (`{ type: "string", received: "integer" }`). Those of a number that no double holds have its
   * digits (`{ limit: 9223372036854776000, exact: "9223372036854775807" }`). Those of an `enum` with such a number
   * have the JSON texts of all its values (`{ allowedValues: [1, 9007199254740992], exact: ["1", "9007199254740993"]
   * }`).
   */
  readonly params?: Readonly<Record<string, unknown>>;
}

/** A change that would help. It is only suggested, never made. */
export interface Suggestion {
  /** RFC 6901 pointer to the value that the suggestion is about. */
  readonly path: string;
  readonly message: string;
  /** The value that would validate, if there is one. */
  readonly value?: unknown;
}

/** The result of a validation. `valid` is false exactly when `errors` is not empty. */
export interface ValidationResult {
  readonly valid: boolean;
  readonly errors: readonly Issue[];
  readonly warnings: readonly Issue[];
  readonly suggestions: readonly Suggestion[];
  /** How many more issues there were than `errors` lists; absent when it lists all. */
  readonly truncated?: number;
}

/**
 * How a check ended.
 *
 * - `pass`, `violation`: the schema was applied
 * - `guard`: the value is over a limit; it was not parsed
 * - `budget`: a cost limit was reached, or the engine threw
 * - `missing`: an output schema is declared, but there was no structured content
 * - `uncompilable`: the schema is broken or refused; nothing was checked
 * - `unknown`: the schema is not known yet; nothing was checked
 * - `skipped`: there was nothing to check
 */
export type Outcome =
  | "pass"
  | "violation"
  | "guard"
  | "budget"
  | "missing"
  | "uncompilable"
  | "unknown"
  | "skipped";

/** The limit that a value exceeded. */
export interface GuardTrip {
  readonly guard: "maxBytes" | "maxDepth" | "maxKeys" | "maxBatch";
  readonly limit: number;
  /** The measured size or depth, or a lower bound if measuring stopped early. */
  readonly actual: number;
}

/**
 * How many issues count under each treatment. A failed `anyOf`, `oneOf` or `contains` is one issue, at its own place.
 * An issue that only says that another schema failed (`if`, `propertyNames`) does not count by itself.
 */
export interface TreatmentCounts extends Readonly<Record<Treatment, number>> {
  /** How many of the listed `errors`, counted from the first, are not ignored. */
  readonly heeded: number;
  /** How many more such errors there are. */
  readonly more: number;
}

/** A {@link ValidationResult} with its {@link Outcome} and the number of issues per class. */
export interface Check extends ValidationResult {
  readonly outcome: Outcome;
  /**
   * Number of issues per class, over all issues and not only the listed ones. A failed `anyOf` or `oneOf` counts
   * once: in the class that the issues of its closest branch share, else `value`. If several branches are equally
   * close, their issues must all share the class.
   */
  readonly counts: Readonly<Partial<Record<Rule, number>>>;
  readonly guard?: GuardTrip;
  /** How its issues count, over all of them; present if the schema was applied with rules and the check failed. */
  readonly treated?: TreatmentCounts;
}

/**
 * Returns whether a check ended without a verdict: over its budget, or because the schema is not known. Such a check
 * has `valid: false`, because it must not count as passed, but its value is not known to be invalid.
 */
export function isUnchecked({ outcome }: Pick<Check, "outcome">): boolean {
  return outcome === "budget" || outcome === "unknown";
}

/** The `params` of the issue of a check that may have ended because its schema refers to itself for the same value. */
export const LOOP_PARAMS = { schema: "reference_loop" } as const;

/** Returns whether a check has no verdict, and its schema refers to itself for the same value. */
export function isSchemaLoop({ outcome, errors }: Pick<Check, "outcome" | "errors">): boolean {
  return outcome === "budget" && errors[0]?.params?.["schema"] === LOOP_PARAMS.schema;
}

const NONE: readonly never[] = Object.freeze([]);

/** The check of a value with no issues. Frozen, because all such checks share it. */
export const PASS: Check = Object.freeze({
  valid: true,
  outcome: "pass",
  errors: NONE,
  warnings: NONE,
  suggestions: NONE,
  counts: Object.freeze({}),
});
