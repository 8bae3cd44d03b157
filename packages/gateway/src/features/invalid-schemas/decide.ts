import type { CompiledSchema } from "@touchstone/core";
import type { Mode } from "../decision.ts";

/** Returns whether a schema cannot be used because it refers to another document. */
export function isExternal(schema: Pick<CompiledSchema, "error"> | undefined): boolean {
  return schema?.error?.isExternal === true;
}

/**
 * Returns whether payloads that cannot be checked are blocked, because their tool's schema cannot be used.
 * @param isExternal see {@link isExternal}
 */
export function blocksUnusable(
  {
    mode,
    onInvalidSchema,
  }: {
    readonly mode: Mode;
    readonly onInvalidSchema: "allow" | "block_external" | "block";
  },
  isExternal: boolean,
): boolean {
  if (mode !== "strict" || onInvalidSchema === "allow") return false;
  return onInvalidSchema === "block" || isExternal;
}
