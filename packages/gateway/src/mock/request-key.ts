import { hash } from "node:crypto";
import { canonicalTextSteps, decodeUtf8, runSteps } from "@touchstone/core/advanced";
import { type Frame, memberRange } from "@touchstone/protocol/advanced";
import { concatBytes } from "@touchstone/util";
import type { Era } from "../eras/era.ts";

const NO_PARAMS = "{}";

/**
 * Returns the params of a request in one form for all requests that count as the same: without `_meta`, whatever the
 * order of keys and the spelling of strings. Numbers keep their digits: `1` and `1.0` differ.
 */
export function comparableParams(frame: Frame): string {
  const { params, meta } = frame.ranges;
  if (params === undefined) return NO_PARAMS;
  const { bytes } = frame;
  const whole = bytes.subarray(params.start, params.end);
  const left = meta === undefined ? undefined : memberRange(bytes, meta);
  const text =
    left === undefined
      ? whole
      : concatBytes([
          bytes.subarray(params.start, left.start),
          bytes.subarray(left.end, params.end),
        ]);
  return comparableText(text);
}

/** Returns a JSON text in one form for all texts with the same value and the same digits. */
export function comparableText(text: Uint8Array): string {
  return text.length === 2
    ? decodeUtf8(text)
    : runSteps(canonicalTextSteps(text, { numbers: "verbatim" }));
}

/** Returns bytes that are the same for the same request of an era. */
export function requestKey(era: Era, method: string, params: string): Uint8Array {
  return hash("sha256", `${era.name}\n${method}\n${params}`, "buffer");
}
