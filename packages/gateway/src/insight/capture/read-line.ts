import { type CompiledSchema, compileOwn, parseJson } from "@touchstone/core/advanced";
import { CAPTURE_VERSION, type CapturedFrame, type LostFrames } from "./line.ts";

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
const START: CompiledSchema = compileOwn(CAPTURE_LINE_SCHEMAS.start);
const LOST: CompiledSchema = compileOwn(CAPTURE_LINE_SCHEMAS.lost);
const ANY_FRAME: CompiledSchema = compileOwn(CAPTURE_LINE_SCHEMAS.frame);

interface RawFrame extends CapturedFrame {
  readonly text?: string;
  readonly base64?: string;
  readonly oversize?: number;
  readonly redactions?: number;
}

function holds(value: unknown, name: string): boolean {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name);
}

/** Reads a line of a capture, or returns what is wrong with it. Never throws. */
export function readCaptureLine(bytes: Uint8Array): CaptureLine | { readonly fault: string } {
  const parsed = parseJson(bytes);
  if (!parsed.ok) return { fault: `not JSON: ${parsed.message}` };
  const { value } = parsed;
  const starts = holds(value, "touchstone");
  const schema = starts ? START : holds(value, "lost") ? LOST : ANY_FRAME;
  const [error] = schema.isValid(value)
    ? []
    : schema.validate(value, { maxBytes: Number.MAX_SAFE_INTEGER }).errors;
  if (error !== undefined) {
    const at = error.path === "" ? "" : ` at ${error.path}`;
    return { fault: `not a line of a capture: ${error.message}${at}` };
  }
  // The schemas have checked that the value has this shape.
  if (starts) return { kind: "start" };
  if (schema === LOST) return { kind: "lost", lost: (value as { readonly lost: LostFrames }).lost };
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
