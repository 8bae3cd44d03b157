import type { Severity } from "../finding.ts";
import type { Subschema } from "../walk.ts";

/** Who receives a tool: a model's API, or a client that checks tools itself. */
export const PROVIDERS = [
  "openai",
  "openai-strict",
  "anthropic",
  "bedrock",
  "nova",
  "gemini",
  "gemini-openapi",
  "moonshot",
  "llama-cpp",
  "vscode",
] as const;
/** A model provider or client with known rules. */
export type ProviderName = (typeof PROVIDERS)[number];

/** What a provider objects to. */
export type ProviderRule =
  | "tool-name"
  | "prefixed-name"
  | "duplicate-name"
  | "property-name"
  | "schema"
  | "unresolved-reference"
  | "top-level"
  | "keyword"
  | "keyword-of-another-type"
  | "array-items"
  | "object-properties"
  | "object-empty"
  | "type-list"
  | "type-missing"
  | "boolean-schema"
  | "any-of-alone"
  | "any-of-type"
  | "ref-alone"
  | "ref-target"
  | "enum-type"
  | "format"
  | "closed-objects"
  | "required-all"
  | "required-undeclared"
  | "not-2020-12"
  | "output-schema"
  | "pattern"
  | "number-range"
  | "enum-empty"
  | "description-empty"
  | "description-length"
  | "tool-count"
  | "nesting"
  | "property-count"
  | "enum-count"
  | "text-length";

/** An objection before it is assigned to a tool. */
export interface ProviderFound {
  readonly path: string;
  readonly rule: ProviderRule;
  readonly severity: Severity;
  readonly message: string;
  readonly fix: string;
}

/** The path to a tool's input schema. */
export const INPUT_SCHEMA_PATH = "/inputSchema";

/** An objection to one place in a schema. */
export interface Objection {
  /** Pointer below the place; empty for the place itself. */
  readonly at?: string;
  readonly message: string;
  readonly fix: string;
  readonly severity?: Severity;
}

/** Returns what a rule objects to at a place, or in the schema as a whole. */
export type PlaceRule = (place: Pick<Subschema, "schema">, isTop: boolean) => readonly Objection[];

/** What one provider accepts, as data. */
export interface Provider {
  readonly name: ProviderName;
  /** Its name in messages. */
  readonly title: string;
  readonly toolName?: RegExp;
  /** A request with two tools of the same name is refused as a whole. */
  readonly uniqueNames?: boolean;
  /** The names that properties at the top level may have. */
  readonly propertyName?: RegExp;
  /** Keywords that are not allowed at the top level. */
  readonly notAtTop?: readonly string[];
  /** The only keywords that are allowed at the top level. */
  readonly allowedAtTop?: ReadonlySet<string>;
  /** Keywords that are not allowed anywhere. */
  readonly refused?: ReadonlySet<string>;
  /** The only keywords that are allowed anywhere. */
  readonly allowed?: ReadonlySet<string>;
  /** The formats that are allowed for each type; for other types any. */
  readonly formats?: Readonly<Partial<Record<"string" | "number", ReadonlySet<string>>>>;
  /** Rules that check one place at a time. */
  readonly places: Readonly<Partial<Record<ProviderRule, PlaceRule>>>;
  /** The schema must be valid in draft 2020-12, whatever `$schema` says. */
  readonly only2020?: boolean;
  /** Output schemas are compiled by a client that knows only draft 2020-12 of JSON Schema. */
  readonly compilesOutput?: boolean;
  readonly limits?: {
    readonly tools?: number;
    /** Whether a request with more tools is refused. Default false: clients choose among them. */
    readonly refusesMoreTools?: boolean;
    /** Names of more characters, including what clients put before them, were refused by releases before. */
    readonly nameBefore?: number;
    /** The most characters of a tool's name, including what clients put before it. */
    readonly prefixedName?: number;
    /** Whether a description may be empty. Default true. */
    readonly emptyDescription?: boolean;
    /** The most characters of a tool's description. */
    readonly description?: number;
    readonly nesting?: number;
    readonly properties?: number;
    readonly enumValues?: number;
    /** The most characters of all names of properties and definitions and all strings to choose from, together. */
    readonly characters?: number;
    /** The most characters of the strings of one `enum` that has more than this many values. */
    readonly longEnum?: { readonly values: number; readonly characters: number };
  };
}

/** Returns a set of words, given as a text with spaces between them. */
export function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}
