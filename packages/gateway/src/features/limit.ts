/** Where a limit can be set. Every level's limit applies. */
export type LimitLevel = "top" | "server" | "tool" | "caller";

/** The owner of each level's limit, in words. */
export const LEVEL_OWNER_TEXTS: Readonly<Record<LimitLevel, string>> = {
  top: "of this gateway",
  server: "of this server",
  tool: "of this tool",
  caller: "of this caller",
};

/** What one level sets. */
export interface LimitOfLevel {
  readonly level: LimitLevel;
  /** The tool, of the level `tool`. */
  readonly tool?: string | undefined;
  readonly value: number;
}

/** A call, as limits see it before it is sent. */
export interface LimitedCall {
  readonly server: string;
  /** Its caller's name; undefined if the gateway identifies no callers. */
  readonly caller: string | undefined;
  /** In milliseconds, by the gateway's clock. */
  readonly now: number;
}

/** Why a call is over a limit. */
export interface OverLimit {
  /** For the model: which limit, and what to do. */
  readonly message: string;
  /** Seconds until the call may be sent. */
  readonly retryAfter: number;
}

/** What one gateway knows of the calls that count for a limit. */
export interface CallGate {
  /** Returns why a call is over one of the limits, without counting it. */
  over(limits: readonly LimitOfLevel[], call: LimitedCall): OverLimit | undefined;
  /** Counts a call that is sent. */
  count(limits: readonly LimitOfLevel[], call: LimitedCall): void;
}

/**
 * A limit on tool calls: a key of the file's `limits`, at the top level, of a server, of a tool and of a caller.
 * Everything else is derived from it: schema, merging, API, console and pipeline iterate over the list in `list.ts`.
 */
export interface Limit {
  /** Its key in the file, and the keyword of its issues. */
  readonly name: string;
  /** The JSON Schema of its value, a whole number. */
  readonly schema: object;
  /** Descriptions for editors and the reference: of the top level's key, and of the other levels'. */
  readonly descriptions: { readonly top: string; readonly level: string };
  /** Returns a value in words, for people. */
  text(value: number): string;
  /** Starts to count calls, if the limit is on calls. */
  readonly makeGate?: () => CallGate;
  /**
   * Returns why a result is withheld, if the limit is one on results.
   * @param what what the server sent: a result, or an error instead
   * @param size its bytes
   */
  readonly overResult?: (
    limits: readonly LimitOfLevel[],
    what: "result" | "error",
    size: number,
  ) => string | undefined;
}
