import type { SchemaGap } from "./source.ts";

/** What has to be known of a call that runs as a task, where another gateway is asked for its result. */
export interface KeptTask {
  readonly tool: string;
  /** Links the records of the call. */
  readonly requestId: string;
  /** Source text of the output schema that was in force when the call came; absent for none. */
  readonly outputSchema?: Uint8Array | undefined;
  /** Whether the tool's schemas were known when the call came. */
  readonly known: boolean;
  /** Why they were not, or were known from an earlier list only. */
  readonly gap?: SchemaGap | undefined;
}

/** Keeps tasks where all gateways that share a store find them. */
export interface TaskStore {
  /** @param key `sha256:` and the digest of the task's id: whoever knows the id may ask for it */
  keep(server: string, key: string, task: KeptTask): Promise<void>;
  find(server: string, key: string): Promise<KeptTask | undefined>;
}
