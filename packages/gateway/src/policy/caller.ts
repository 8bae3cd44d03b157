/** What a caller's own key or token allows: one level of the policy of tools, merged with those of the top and the server. */
export interface CallerPolicy {
  /** Names of tools, and patterns of them; any other tool is not for this caller. All are if it is absent. */
  readonly allowTools?: readonly string[];
  /** Whether only tools that declare `readOnlyHint: true` are for this caller. */
  readonly readOnly?: boolean;
}

/** Who calls, as the gateway has identified it. */
export interface Caller {
  /** Its name in records, metrics and spans; never what it identified itself with. */
  readonly name: string;
  /** What of its key or token restricts it; absent if nothing does. */
  readonly policy?: CallerPolicy;
}
