/** Why a tool's schemas were unknown, or known from an earlier list only. */
export interface StoredUnknownReason {
  readonly code: "unlisted" | "incomplete" | "unavailable" | "unseen";
  /** A clause, for records and for the caller. */
  readonly reason: string;
}

/** The facts about a call that runs as a task, which another gateway needs to check its result. */
export interface StoredTask {
  readonly tool: string;
  /** Links the records of the call. */
  readonly requestId: string;
  /** Source text of the output schema in force when the call came; absent if there was none. */
  readonly outputSchema?: Uint8Array | undefined;
  /** Whether the tool's schemas were known when the call came. */
  readonly known: boolean;
  /** Why they were unknown, or known from an earlier list only. */
  readonly gap?: StoredUnknownReason | undefined;
}

/** Keeps tasks for all gateways that share a store. */
export interface TaskStore {
  /** @param key `sha256:` and the digest of the task's id: whoever knows the id may fetch it */
  keep(server: string, key: string, task: StoredTask): Promise<void>;
  find(server: string, key: string): Promise<StoredTask | undefined>;
}
