import { parseJson } from "@touchstone/core";
import { LATEST } from "@touchstone/protocol";
import type { Posted } from "./loopback.ts";

/**
 * Whether an answer to `server/discover` names the latest revision. Some servers of earlier ones answer
 * every method that they do not know with an empty result.
 */
export function speaksLatest({ answer }: Posted): boolean {
  const range = answer?.ranges.result;
  if (answer?.kind !== "response" || range === undefined) return false;
  const parsed = parseJson(answer.bytes.subarray(range.start, range.end));
  const result = parsed.ok ? parsed.value : undefined;
  const versions = (result as { readonly supportedVersions?: unknown } | null | undefined)
    ?.supportedVersions;
  return Array.isArray(versions) && versions.includes(LATEST.version);
}
