import { jsonByteLength, MAX_ANSWER_BYTES, type ToolVerdict } from "../validation-result.ts";

/** The share of the available bytes for each list, in sixteenths, if not all lists fit. */
const SHARES = { errors: 6, warnings: 1, suggestions: 1, issues: 7, levelsNotRun: 1 } as const;
/** The bytes for the names of members and the few values beside the lists. */
const FRAME_BYTES = 512;

/** Returns as many entries as fit, from the first on. */
function fitting<T>(entries: readonly T[], maxBytes: number): readonly T[] {
  let left = maxBytes;
  const end = entries.findIndex((entry) => {
    left -= jsonByteLength(entry) + 1;
    return left < 0;
  });
  return end === -1 ? entries : entries.slice(0, end);
}

/**
 * Cuts a verdict to the size of this package's own responses, even if the server sent a longer one: a model may read
 * it, and a cache may keep it. Errors and warnings that do not fit are counted in `truncated`.
 * @param verdict with texts that are cut already
 */
export function boundVerdict(verdict: ToolVerdict): ToolVerdict {
  if (jsonByteLength(verdict) <= MAX_ANSWER_BYTES - FRAME_BYTES) return verdict;
  const { outputSchema } = verdict;
  const schemaBytes = outputSchema === undefined ? 0 : jsonByteLength(outputSchema);
  const share = (MAX_ANSWER_BYTES - FRAME_BYTES - schemaBytes) / 16;
  const errors = fitting(verdict.errors, SHARES.errors * share);
  const warnings = fitting(verdict.warnings, SHARES.warnings * share);
  const left = verdict.errors.length + verdict.warnings.length - errors.length - warnings.length;
  const truncated = (verdict.truncated ?? 0) + left;
  return {
    ...verdict,
    errors,
    warnings,
    suggestions: fitting(verdict.suggestions, SHARES.suggestions * share),
    issues: fitting(verdict.issues, SHARES.issues * share),
    levelsNotRun: fitting(verdict.levelsNotRun, SHARES.levelsNotRun * share),
    ...(truncated > 0 ? { truncated } : {}),
  };
}
