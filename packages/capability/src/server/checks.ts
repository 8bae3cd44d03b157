import type { Level } from "../announcement.ts";

/** A finding of a check: a text, or a text about a place in the arguments (RFC 6901 pointer). */
export type Finding = string | { readonly message: string; readonly path?: string | undefined };

/** The findings of a check. Errors make the verdict not valid. */
export interface CheckFindings {
  readonly errors?: readonly Finding[] | undefined;
  readonly warnings?: readonly Finding[] | undefined;
  readonly suggestions?: readonly string[] | undefined;
}

/** What a check receives besides the arguments. */
export interface CheckContext {
  readonly tool: string;
  readonly level: Level;
  /** Aborted when the check's time is over, or the request was canceled. */
  readonly signal: AbortSignal;
  /**
   * What the SDK passes to a tool's handler besides its arguments (v1 `extra`, v2 `ctx`): session, authorization,
   * `_meta`. Set if the option `contextAware` is true.
   */
  readonly request?: unknown;
}

/**
 * Checks the arguments of a call, which have passed the input schema. Returns its findings; undefined if there are
 * none. It must not run the tool or change anything. The arguments are a copy. If it throws, only `onFault` learns of
 * the error, and the verdict is not valid.
 */
export type ToolCheck = (
  args: Readonly<Record<string, unknown>>,
  context: CheckContext,
) => CheckFindings | undefined | Promise<CheckFindings | undefined>;

/** Checks by level. */
export type LevelChecks = {
  readonly [level in Level]?: ToolCheck | readonly ToolCheck[] | undefined;
};
