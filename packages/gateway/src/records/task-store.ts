import type { SchemaGap } from "../contracts/source.ts";

/** What another gateway must know of a call that runs as a task, to check its result. */
export interface KeptTask {
  readonly tool: string;
  /** Links the records of the call. */
  readonly requestId: string;
  /** Source text of the output schema in force when the call came; absent if there was none. */
  readonly outputSchema?: Uint8Array | undefined;
  /** Whether the tool's schemas were known when the call came. */
  readonly known: boolean;
  /** Why they were unknown, or known from an earlier list only. */
  readonly gap?: SchemaGap | undefined;
}

/** Keeps tasks for all gateways that share a store. */
export interface TaskStore {
  /** @param key `sha256:` and the digest of the task's id: whoever knows the id may fetch it */
  keep(server: string, key: string, task: KeptTask): Promise<void>;
  find(server: string, key: string): Promise<KeptTask | undefined>;
}
