import type { Severity } from "../finding.ts";
import type { Place } from "../walk.ts";

/** Who has to take a tool: a model's API, or a client that checks tools itself. */
export const PROVIDERS = [
  "openai",
  "openai-strict",
  "anthropic",
  "bedrock",
  "gemini",
  "vscode",
] as const;
/** A model provider or client whose rules are known. */
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

/** An objection before it is known which tool it is about. */
export interface ProviderFound {
  readonly path: string;
  readonly rule: ProviderRule;
  readonly severity: Severity;
  readonly message: string;
  readonly fix: string;
}

/** Where a tool has its schema. */
export const TOP = "/inputSchema";

/** An objection to one place of a schema. */
export interface Objection {
  /** Below the place; empty for the place itself. */
  readonly at?: string;
  readonly message: string;
  readonly fix: string;
  readonly severity?: Severity;
}

/** What a rule says of a place, or of the schema as a whole. */
export type PlaceRule = (place: Pick<Place, "schema">, isTop: boolean) => readonly Objection[];

/** What one provider takes, as data. */
export interface Provider {
  readonly name: ProviderName;
  /** How messages name it. */
  readonly title: string;
  readonly toolName?: RegExp;
  /** A request with two tools of one name is refused as a whole. */
  readonly uniqueNames?: boolean;
  /** Of the properties at the top. */
  readonly propertyName?: RegExp;
  /** Keywords that must not be at the top. */
  readonly notAtTop?: readonly string[];
  /** Keywords that must not be anywhere. */
  readonly refused?: ReadonlySet<string>;
  /** The only keywords that may be anywhere. */
  readonly allowed?: ReadonlySet<string>;
  /** The formats that may be beside each type; of other types any. */
  readonly formats?: Readonly<Partial<Record<"string" | "number", ReadonlySet<string>>>>;
  /** Rules that look at one place at a time. */
  readonly places: Readonly<Partial<Record<ProviderRule, PlaceRule>>>;
  /** The schema has to be one of draft 2020-12, whatever `$schema` says. */
  readonly only2020?: boolean;
  /** Output schemas are compiled by a client, which knows draft 2020-12 of JSON Schema only. */
  readonly compilesOutput?: boolean;
  readonly limits?: {
    readonly tools?: number;
    /** Characters of a tool's name with what clients put before it. */
    readonly prefixedName?: number;
    /** Whether a description may be empty. Default true. */
    readonly emptyDescription?: boolean;
    /** Characters of a tool's description. */
    readonly description?: number;
    readonly nesting?: number;
    readonly properties?: number;
    readonly enumValues?: number;
    /** Of all names of properties and definitions, and of all strings to choose from. */
    readonly characters?: number;
    /** Of the strings of one `enum` that has more values than these. */
    readonly longEnum?: { readonly values: number; readonly characters: number };
  };
}

/** Returns a set of words, given with spaces between them. */
export function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}
