import { type CompiledSchema, compileOwn } from "@touchstone/core/advanced";
import { withDefinitions } from "../messages/compiled.ts";
import type { MessageTable } from "../messages/message-table.ts";
import type { Schema } from "../messages/schema.ts";

/** Texts longer than this, in bytes, are checked every time; at most `MAX_KEPT` texts are kept. */
const MAX_BYTES = 2_048;
const MAX_KEPT = 4;
const UNBOUNDED = { maxBytes: Number.MAX_SAFE_INTEGER, maxDepth: 1_000_000, maxIssues: 1 };

function isSame(bytes: Uint8Array, start: number, text: Uint8Array): boolean {
  for (let i = 0; i < text.length; i += 1) if (bytes[start + i] !== text[i]) return false;
  return true;
}

/** Checks parts that usually repeat byte for byte, such as a client's capabilities. */
export interface RepeatedTexts {
  /** Returns whether the bytes in `[start, end)` are valid. */
  accepts(bytes: Uint8Array, start: number, end: number): boolean;
}

/** Returns a {@link RepeatedTexts} for a schema whose references lead into the table. */
export function findRepeatedTexts(table: MessageTable, schema: Schema): RepeatedTexts {
  let compiled: CompiledSchema | undefined;
  const kept: Uint8Array[] = [];
  return {
    accepts(bytes, start, end) {
      const length = end - start;
      if (kept.some((text) => text.length === length && isSame(bytes, start, text))) return true;
      compiled ??= compileOwn(withDefinitions(table, schema), { formats: false });
      if (!compiled.validateText(bytes.subarray(start, end), UNBOUNDED).valid) return false;
      if (length <= MAX_BYTES) {
        // A copy, because we do not own the frame's bytes.
        kept.unshift(new Uint8Array(bytes.subarray(start, end)));
        kept.length = Math.min(kept.length, MAX_KEPT);
      }
      return true;
    },
  };
}
