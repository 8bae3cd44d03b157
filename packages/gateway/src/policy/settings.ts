import type { Rule } from "@touchstone/core";

/** What a check does with a failure: nothing is checked, recorded only, or stopped. */
export type Mode = "off" | "warn" | "strict";
/** Which part of the traffic a check looks at. */
export type Direction = "input" | "output" | "protocol";
/** What was done with a message that failed a check, or `allowed`. */
export type Decision = "allowed" | "warning" | "blocked";
/** How a class of issues counts. */
export type RuleTreatment = "violation" | "warning" | "ignore";

/**
 * The classes of issues that a payload can have under its tool's schema, and that may so be treated apart. A key
 * that stands twice is a fault of the message, and a schema that cannot be used has a setting of its own.
 */
export type SchemaRule = Exclude<Rule, "number" | "duplicate" | "schema" | "protocol">;
export const SCHEMA_RULES: readonly SchemaRule[] = [
  "type",
  "required",
  "extra",
  "value",
  "format",
  "guard",
  "budget",
];

/** How a payload is checked against a schema of its tool. */
export interface SchemaCheckSettings {
  readonly mode: Mode;
  /** Largest payload that is parsed and judged, in bytes of UTF-8. */
  readonly maxBytes: number;
  /** Deepest payload that is parsed and judged: a scalar is 1, `{"a":1}` is 2. */
  readonly maxDepth: number;
  /** What strict does where the tool's schema cannot be used. Consulted in strict only. */
  readonly onInvalidSchema: "allow" | "block";
  /** What strict does if the tool's schemas are not known. Consulted in strict only. */
  readonly onUnknownSchema: "allow" | "block";
  /** Classes that count differently from `violation`. */
  readonly rules: Readonly<Partial<Record<Rule, RuleTreatment>>>;
}

/** How structured results are checked. */
export interface OutputCheckSettings extends SchemaCheckSettings {
  /** What strict does where a tool declares an output schema and returns nothing structured. */
  readonly missingStructuredContent: "allow" | "block";
}

/** How messages are checked. */
export interface ProtocolCheckSettings {
  readonly mode: Mode;
  /** How much of a message its schema may look at, in bytes beside long values; beyond, it cannot be checked. */
  readonly maxBytes: number;
}

/** The settings that hold for one tool, after global, server and tool levels are merged. */
export interface ValidationSettings {
  readonly input: SchemaCheckSettings;
  readonly output: OutputCheckSettings;
  readonly protocol: ProtocolCheckSettings;
}

/** The strictest mode in which answers are judged, be it those of a single tool. */
export function strictestForAnswers(settings: readonly ValidationSettings[]): Mode {
  return strictest(settings.flatMap(({ output, protocol }) => [output.mode, protocol.mode]));
}

/** The same of structured results alone. */
export function strictestForOutput(settings: readonly ValidationSettings[]): Mode {
  return strictest(settings.map(({ output }) => output.mode));
}

function strictest(modes: readonly Mode[]): Mode {
  return (["strict", "warn"] as const).find((mode) => modes.includes(mode)) ?? "off";
}

/** What holds where nothing is configured: everything is checked, and nothing stopped. */
export const DEFAULT_SETTINGS: ValidationSettings = {
  input: {
    mode: "warn",
    maxBytes: 5_242_880,
    maxDepth: 64,
    onInvalidSchema: "allow",
    onUnknownSchema: "block",
    rules: {},
  },
  output: {
    mode: "warn",
    maxBytes: 5_242_880,
    maxDepth: 64,
    onInvalidSchema: "allow",
    onUnknownSchema: "block",
    rules: {},
    missingStructuredContent: "allow",
  },
  protocol: { mode: "warn", maxBytes: 1_048_576 },
};
