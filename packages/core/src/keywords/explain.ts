import { plainLine } from "../json/quote.ts";
import type { SchemaNode } from "./node.ts";

/** An issue of a keyword. */
export interface RaisedIssue {
  readonly message: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The schema that has the keyword; undefined for an issue that was read from JSON. */
  readonly node: SchemaNode | undefined;
}

/** Descriptions that several keywords use. */
export interface IssueWords {
  /** Returns what a schema requires in a few words; undefined if that would be long. */
  describe(schema: SchemaNode): string | undefined;
  /** Lists values by their JSON texts. */
  list(texts: readonly unknown[]): string;
  /** Returns the JSON text of a value that a format accepts. */
  example(format: string): string | undefined;
}

/** What is allowed at a place: any value of these types, or one of these values. */
export interface AllowedValues {
  /** JSON Schema types. */
  readonly types: readonly string[];
  readonly values: readonly unknown[];
}

/** What is known about the issues of a keyword, apart from their wording. */
export interface KeywordExplanation {
  /** The parameter with the name of the property that the issues are about. */
  readonly about?: string;
  /** Returns the types or values that the issues ask for. */
  wants?(params: RaisedIssue["params"]): AllowedValues | undefined;
  /** Returns whether a double cannot hold one of these values, so it would be shown as another. */
  isInexact?(node: SchemaNode): boolean;
  /** Returns what it requires of a value, as a predicate: `must be at least 3`. */
  demand?(raised: RaisedIssue, words: IssueWords): string | undefined;
  /** The measure that shows how far off a value is: its length, or the number of its members. */
  readonly received?: "length" | "members";
  /** Whether a value can fail it just because it is written differently or is blank. */
  readonly isRewritable?: boolean;
  /** The schemas whose issues are listed before its own. */
  readonly branches?: {
    /**
     * - `alternatives`: one of them was meant
     * - `cause`: their issues say what is wrong, its own issue only that something is
     * - `trials`: their issues are not faults by themselves
     */
    readonly are: "alternatives" | "cause" | "trials";
    of(node: SchemaNode, params: RaisedIssue["params"]): readonly SchemaNode[] | undefined;
  };
  /** Returns the names of members that it may require. */
  names?(node: SchemaNode): Iterable<string>;
}

/** @param exact the schema's digits, if they differ from those of the double */
export function numberText(value: unknown, exact?: unknown): string {
  if (typeof exact === "string") return exact;
  return typeof value === "number" ? String(value) : "";
}

/** Returns a number and what it counts. */
export function countText(one: string, many: string, value: unknown, exact?: unknown): string {
  return `${numberText(value, exact)} ${value === 1 ? one : many}`;
}

/**
 * Returns the number at the end of the message if a double cannot hold it: as a double, `1e-400` is 0, and an
 * infinite number is `null` in JSON.
 */
export function exactOperand({ message, params: { exact } }: RaisedIssue, value: unknown): string {
  const isHeld = typeof exact === "string" || (Number.isFinite(value) && value !== 0);
  return isHeld
    ? numberText(value, exact)
    : plainLine(message.slice(message.lastIndexOf(" ") + 1), 80);
}
