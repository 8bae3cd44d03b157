import type { ScanError, ScanOptions } from "./range.ts";

/** Why what a caller without types gave for bytes is no text. */
export const NOT_BYTES: ScanError = {
  code: "syntax",
  message: "The input is not bytes: give a Uint8Array",
  offset: 0,
};

export const NO_BYTES: Uint8Array = new Uint8Array(0);

/** Options as a caller without types may give them: what is of another type counts as not given. */
export function usableOptions(options: ScanOptions): ScanOptions {
  if (typeof options !== "object" || options === null) return {};
  const { members, maxDepth } = options;
  const isPlan = members === undefined || (typeof members === "object" && members !== null);
  const isDepth =
    maxDepth === undefined || (typeof maxDepth === "number" && !Number.isNaN(maxDepth));
  if (isPlan && isDepth) return options;
  const { members: _members, maxDepth: _maxDepth, ...others } = options;
  return { ...others, ...(isPlan && { members }), ...(isDepth && { maxDepth }) } as ScanOptions;
}
