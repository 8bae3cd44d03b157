import type { Level } from "../announcement.ts";

/** A finding of a check: a text, or a text about a place in the arguments (RFC 6901 pointer). */
export type Finding = string | { readonly message: string; readonly path?: string | undefined };

/** What a check found. Errors make the verdict not valid. */
export interface CheckFindings {
  readonly errors?: readonly Finding[] | undefined;
  readonly warnings?: readonly Finding[] | undefined;
  readonly suggestions?: readonly string[] | undefined;
}

/** What a check is told beside the arguments. */
export interface CheckContext {
  readonly tool: string;
  readonly level: Level;
  /** Aborted when the check's time is over, or the request was cancelled. */
  readonly signal: AbortSignal;
  /**
   * What the SDK hands to a tool's handler beside its arguments (v1 `extra`, v2 `ctx`): session,
   * authorization, `_meta`. Given where the option `contextAware` is true.
   */
  readonly request?: unknown;
}

/**
 * Looks at the arguments of a call, which have passed the input schema, and tells what it found;
 * nothing if there is nothing to tell. It must not run the tool or change anything. The
 * arguments are a copy of its own. What it throws is told to `onFault` alone, and makes the verdict
 * not valid.
 */
export type ToolCheck = (
  args: Readonly<Record<string, unknown>>,
  context: CheckContext,
) => CheckFindings | undefined | Promise<CheckFindings | undefined>;

/** Checks by level. */
export type LevelChecks = {
  readonly [level in Level]?: ToolCheck | readonly ToolCheck[] | undefined;
};
