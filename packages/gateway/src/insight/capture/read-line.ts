import { type CompiledSchema, compileOwn, parseJson } from "@touchstone/core/advanced";
import type { CapturedFrame, LostFrames } from "./line.ts";
import { CAPTURE_VERSION } from "./version.ts";

/** A line of a capture. */
export type CaptureLine =
  | { readonly kind: "start" }
  | { readonly kind: "lost"; readonly lost: LostFrames }
  /** A frame over the relay's limit, whose bytes were not kept. */
  | { readonly kind: "oversize"; readonly frame: CapturedFrame; readonly bytes: number }
  | {
      readonly kind: "frame";
      readonly frame: CapturedFrame;
      readonly bytes: Uint8Array;
      /** How many secrets were removed from it. */
      readonly redactions: number;
    };

const PARTY = { enum: ["client", "server", "gateway"] };
const COUNT = { type: "integer", minimum: 0 };
const TEXT = { type: "string" };
const NAME = { type: "string", minLength: 1, maxLength: 256 };
const FRAME = { time: TEXT, server: NAME, connection: NAME, from: PARTY, to: PARTY };

/** The schema of each kind of line. A member that only one kind has identifies it. */
export const CAPTURE_LINE_SCHEMAS: Readonly<Record<"start" | "lost" | "frame", object>> = {
  start: {
    properties: { touchstone: { const: "capture" }, version: { const: CAPTURE_VERSION } },
  },
  lost: {
    properties: {
      lost: {
        type: "object",
        properties: { frames: COUNT, bytes: COUNT, since: TEXT, reason: TEXT },
        required: ["frames", "bytes", "since", "reason"],
      },
    },
  },
  frame: {
    type: "object",
    properties: {
      ...FRAME,
      session: NAME,
      revision: NAME,
      answers: NAME,
      text: TEXT,
      base64: TEXT,
      redactions: COUNT,
      oversize: COUNT,
    },
    required: Object.keys(FRAME),
  },
};
type LineKind = keyof typeof CAPTURE_LINE_SCHEMAS;

/** The compiled schemas. Most captures have only lines that need none. */
const compiled: Map<LineKind, CompiledSchema> = new Map();

function schemaOf(kind: LineKind): CompiledSchema {
  const known = compiled.get(kind);
  if (known !== undefined) return known;
  const schema = compileOwn(CAPTURE_LINE_SCHEMAS[kind]);
  compiled.set(kind, schema);
  return schema;
}

interface RawFrame extends CapturedFrame {
  readonly text?: string;
  readonly base64?: string;
  readonly oversize?: number;
  readonly redactions?: number;
}

function holds(value: unknown, name: string): boolean {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name);
}

const PARTIES: ReadonlySet<unknown> = new Set(PARTY.enum);
/** Of a name, in UTF-16 units: at least as many as the characters that the schema counts. */
const isName = (value: unknown): boolean =>
  typeof value === "string" && value !== "" && value.length <= NAME.maxLength;
const isText = (value: unknown): boolean => typeof value === "string";
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const MEMBERS: readonly (readonly [
  name: string,
  isValid: (value: unknown) => boolean,
  isRequired?: true,
])[] = [
  ["time", isText, true],
  ["server", isName, true],
  ["connection", isName, true],
  ["from", (value) => PARTIES.has(value), true],
  ["to", (value) => PARTIES.has(value), true],
  ["session", isName],
  ["revision", isName],
  ["answers", isName],
  ["text", isText],
  ["base64", isText],
  ["redactions", isCount],
  ["oversize", isCount],
];

/**
 * Returns whether a value is certainly valid by the schema of its kind of line, which takes several times as long to
 * check. The schema decides about other values.
 */
export function isPlainLine(kind: LineKind, value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as Readonly<Record<string, unknown>>;
  if (kind === "start") {
    return members["touchstone"] === "capture" && members["version"] === CAPTURE_VERSION;
  }
  if (kind === "lost") return false;
  return MEMBERS.every(([name, isValid, isRequired]) => {
    const member = members[name];
    return member === undefined ? isRequired === undefined : isValid(member);
  });
}

/** Reads a line of a capture, or returns what is wrong with it. Never throws. */
export function readCaptureLine(bytes: Uint8Array): CaptureLine | { readonly fault: string } {
  const parsed = parseJson(bytes);
  if (!parsed.ok) return { fault: `not JSON: ${parsed.message}` };
  const { value } = parsed;
  const kind: LineKind = holds(value, "touchstone")
    ? "start"
    : holds(value, "lost")
      ? "lost"
      : "frame";
  if (!isPlainLine(kind, value)) {
    const schema = schemaOf(kind);
    const [error] = schema.isValid(value)
      ? []
      : schema.validate(value, { maxBytes: Number.MAX_SAFE_INTEGER }).errors;
    if (error !== undefined) {
      const at = error.path === "" ? "" : ` at ${error.path}`;
      return { fault: `not a line of a capture: ${error.message}${at}` };
    }
  }
  // It was checked that the value has this shape.
  if (kind === "start") return { kind: "start" };
  if (kind === "lost") return { kind: "lost", lost: (value as { readonly lost: LostFrames }).lost };
  const { text, base64, oversize, redactions = 0, ...rest } = value as RawFrame;
  if ([text, base64, oversize].filter((content) => content !== undefined).length !== 1) {
    return { fault: "not a line of a capture: it must contain one of text, base64 and oversize" };
  }
  const { time, server, connection, session, from, to, revision, answers } = rest;
  const frame = {
    ...{ time, server, connection, from, to },
    ...(session === undefined ? {} : { session }),
    ...(revision === undefined ? {} : { revision }),
    ...(answers === undefined ? {} : { answers }),
  };
  if (oversize !== undefined) return { kind: "oversize", frame, bytes: oversize };
  const content =
    text === undefined ? Buffer.from(base64 ?? "", "base64") : Buffer.from(text, "utf8");
  return { kind: "frame", frame, bytes: content, redactions };
}
