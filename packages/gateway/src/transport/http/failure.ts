import type { CutMessage } from "@touchstone/protocol";
import { BodyTooLargeError } from "./body.ts";
import { SseTooLargeError } from "./sse.ts";

const NOTHING = new Uint8Array(0);

/** The upstream could not be reached, or did not answer as HTTP asks. */
export class UpstreamError extends Error {
  override readonly name: string = "UpstreamError";
}

/** The upstream has answered, and nobody can read a message in that. */
export class UnreadableError extends UpstreamError {}

/** Why there is no answer of an upstream's to be brought back. */
export interface Failure {
  /** One line for people. */
  readonly reason: string;
  /**
   * What there is of a body or event that grew beyond the limit: its size, as far as it was read. What it
   * answers is told by its HTTP exchange.
   */
  readonly cut?: CutMessage;
  /** An answer came, and cannot be read. */
  readonly unreadable?: boolean;
}

/** What zlib says of data that are not in the coding that they are said to be in, by the error's code. */
const CODING = /^(Z_|ERR__|ERR_BROTLI|ZSTD_)/;

function isCodingError(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return error instanceof Error && typeof code === "string" && CODING.test(code);
}

/** What an error while an answer was awaited or read says of it. */
export function failureOf(error: unknown): Failure {
  const reason = error instanceof Error ? error.message : String(error);
  if (error instanceof UnreadableError) return { reason, unreadable: true };
  if (isCodingError(error)) {
    const text = `the server's answer is not in the content encoding that it names: ${reason}`;
    return { reason: text, unreadable: true };
  }
  const tooLarge = error instanceof BodyTooLargeError || error instanceof SseTooLargeError;
  return tooLarge
    ? { reason, cut: { head: NOTHING, tail: NOTHING, size: error.size } }
    : { reason };
}
