import type { FrameParty } from "../../pipeline/tap.ts";
import { redactFrame } from "./redact-frame.ts";
import { CAPTURE_VERSION } from "./version.ts";

/** The conversation that a frame belongs to. */
export interface CaptureConnection {
  readonly server: string;
  /** One for each conversation with a server; unique in the file. */
  readonly connection: string;
  /** `sha256:` and the digest of the session's id; absent if the transport has no sessions. */
  readonly session?: string;
}

/** Facts about a frame, besides its bytes. */
export interface CapturedFrame extends CaptureConnection {
  /** RFC 3339, UTC, milliseconds. */
  readonly time: string;
  readonly from: FrameParty;
  readonly to: FrameParty;
  /** The MCP revision that the conversation had agreed on by then. */
  readonly revision?: string;
  /** For a response to the gateway's own request: the method of that request. */
  readonly answers?: string;
}

/** Frames that are missing from a capture. */
export interface LostFrames {
  readonly frames: number;
  readonly bytes: number;
  /** When the first of them arrived. */
  readonly since: string;
  readonly reason: string;
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const LOSSY = new TextDecoder("utf-8", { ignoreBOM: true });

/** Returns the first line of a capture. */
export function startLine(time: string): string {
  return `${JSON.stringify({ touchstone: "capture", version: CAPTURE_VERSION, time })}\n`;
}

/** Returns the line that marks missing frames. */
export function lostFramesLine(time: string, lost: LostFrames): string {
  return `${JSON.stringify({ time, lost })}\n`;
}

/** Returns the line for a frame that was too large to keep. */
export function oversizeLine(frame: CapturedFrame, bytes: number): string {
  return `${JSON.stringify({ ...frame, oversize: bytes })}\n`;
}

/**
 * Returns the line for a frame: its bytes as `text`, or in base64 if they are not UTF-8. Secrets are replaced and
 * counted.
 */
export function frameLine(frame: CapturedFrame, bytes: Uint8Array): string {
  let text: string;
  let exact = true;
  try {
    text = UTF8.decode(bytes);
  } catch {
    text = LOSSY.decode(bytes);
    exact = false;
  }
  const redacted = redactFrame(text);
  const { redactions } = redacted;
  if (redactions > 0) return `${JSON.stringify({ ...frame, text: redacted.text, redactions })}\n`;
  const content = exact ? { text } : { base64: Buffer.from(bytes).toString("base64") };
  return `${JSON.stringify({ ...frame, ...content })}\n`;
}
