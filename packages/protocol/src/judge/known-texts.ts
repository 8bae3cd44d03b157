import { type CompiledSchema, compileOwn } from "@touchstone/core";
import { selfContained } from "../messages/compiled.ts";
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
export interface KnownTexts {
  /** Returns whether the bytes in `[start, end)` are valid. */
  accepts(bytes: Uint8Array, start: number, end: number): boolean;
}

/** Returns a {@link KnownTexts} for a schema whose references lead into the table. */
export function knownTexts(table: MessageTable, schema: Schema): KnownTexts {
  let compiled: CompiledSchema | undefined;
  const kept: Uint8Array[] = [];
  return {
    accepts(bytes, start, end) {
      const length = end - start;
      if (kept.some((text) => text.length === length && isSame(bytes, start, text))) return true;
      compiled ??= compileOwn(selfContained(table, schema), { formats: false });
      if (!compiled.check(bytes.subarray(start, end), UNBOUNDED).valid) return false;
      if (length <= MAX_BYTES) {
        // A copy, because we do not own the frame's bytes.
        kept.unshift(bytes.slice(start, end));
        kept.length = Math.min(kept.length, MAX_KEPT);
      }
      return true;
    },
  };
}
