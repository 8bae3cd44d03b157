import type { CutMessage } from "@touchstone/protocol";
import { SseTooLargeError } from "../sse.ts";
import { BodyTooLargeError } from "./body.ts";

const NOTHING = new Uint8Array(0);

/**
 * What there is of a body or event of an upstream's that grew beyond the limit: its size, as far as
 * it was read. What it answers is told by its HTTP exchange. Undefined for any other error.
 */
export function overlong(error: unknown): CutMessage | undefined {
  const tooLarge = error instanceof BodyTooLargeError || error instanceof SseTooLargeError;
  return tooLarge ? { head: NOTHING, tail: NOTHING, size: error.size } : undefined;
}
