import { plain } from "../json/quote.ts";
import type { SchemaNode } from "./node.ts";

/** An issue of a keyword. */
export interface Raised {
  readonly message: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The schema that has the keyword; undefined for an issue that was read back from JSON. */
  readonly node: SchemaNode | undefined;
}

/** What describes more than one keyword. */
export interface Words {
  /** What a schema requires, in a few words; undefined if that is not short. */
  describe(schema: SchemaNode): string | undefined;
  /** Values by their JSON texts. */
  list(texts: readonly unknown[]): string;
  /** A text that a format accepts. */
  example(format: string): string | undefined;
}

/** What may be at a place: any value of these types, or one of these values. */
export interface Wanted {
  /** JSON Schema types. */
  readonly types: readonly string[];
  readonly values: readonly unknown[];
}

/** What is known of the issues of a keyword, beside their wording. */
export interface Explained {
  /** The parameter that names the property that they are about. */
  readonly about?: string;
  /** The types or values that they say are needed. */
  wants?(params: Raised["params"]): Wanted | undefined;
  /** Whether a double does not hold one of these values, so that it would be shown as another. */
  isInexact?(node: SchemaNode): boolean;
  /** What it requires of a value, as a predicate: `must be at least 3`. */
  demand?(raised: Raised, words: Words): string | undefined;
  /** What of the value says how far off it is: its length, or the number of its members. */
  readonly received?: "length" | "members";
  /** Whether a value may fail it because it is written otherwise, or is blank. */
  readonly isRewritable?: boolean;
  /** The schemas whose issues are listed before its own. */
  readonly branches?: {
    /**
     * - `alternatives`: one of them was meant
     * - `cause`: their issues say what is wrong, and its own only that something is
     * - `trials`: their issues are not faults by themselves
     */
    readonly are: "alternatives" | "cause" | "trials";
    of(node: SchemaNode, params: Raised["params"]): readonly SchemaNode[] | undefined;
  };
  /** The names of members that it may require. */
  names?(node: SchemaNode): Iterable<string>;
}

/** @param exact the digits that are in the schema, if they are not those of the double */
export function number(value: unknown, exact?: unknown): string {
  if (typeof exact === "string") return exact;
  return typeof value === "number" ? String(value) : "";
}

/** Returns a number and what it counts. */
export function amount(one: string, many: string, value: unknown, exact?: unknown): string {
  return `${number(value, exact)} ${value === 1 ? one : many}`;
}

/**
 * Returns the number at the end of the message, if a double does not hold it: one of `1e-400` is 0, and `null` in
 * JSON if it is infinite.
 */
export function operand({ message, params: { exact } }: Raised, value: unknown): string {
  const isHeld = typeof exact === "string" || (Number.isFinite(value) && value !== 0);
  return isHeld ? number(value, exact) : plain(message.slice(message.lastIndexOf(" ") + 1), 80);
}
