import { createHash } from "node:crypto";
import type { SchemaCache } from "@touchstone/core";
import { ToolContract } from "../contracts/contract.ts";
import type { Logger } from "../log.ts";
import type { ToolCall } from "../pipeline/inflight.ts";

/** What has to be known of a call that runs as a task, where another gateway is asked for its result. */
export interface KeptTask {
  readonly tool: string;
  /** Links the records of the call. */
  readonly requestId: string;
  /** Source text of the output schema that was in force when the call came; absent for none. */
  readonly outputSchema?: Uint8Array | undefined;
}

/** Keeps tasks where all gateways that share a store find them. */
export interface TaskStore {
  /** @param key `sha256:` and the digest of the task's id: whoever knows the id may ask for it */
  keep(server: string, key: string, task: KeptTask): Promise<void>;
  find(server: string, key: string): Promise<KeptTask | undefined>;
}

/** The tasks of one server, as a pipeline sees them. Nothing here rejects. */
export interface SharedTasks {
  /** Resolves when the others know of a task. */
  announce(taskId: string, call: ToolCall): Promise<void>;
  /** The call that made a task, as another gateway has kept it. */
  find(taskId: string): Promise<ToolCall | undefined>;
}

export interface SharedTasksParts {
  readonly server: string;
  readonly store: TaskStore;
  readonly cache: SchemaCache;
  readonly settings: (tool: string) => ToolCall["settings"];
  /** Milliseconds on a clock that never goes back. */
  readonly now: () => number;
  readonly log: Logger;
}

/** Tells other gateways of tasks, and finds theirs, so that each judges their results. */
export function shareTasks({
  server,
  store,
  cache,
  settings,
  now,
  log,
}: SharedTasksParts): SharedTasks {
  const guarded = async <T>(step: Promise<T>): Promise<T | undefined> => {
    try {
      return await step;
    } catch (error) {
      log.error("a task is not known to all gateways, so its result may go on unchecked", {
        server,
        error: String(error),
      });
      return undefined;
    }
  };
  return {
    async announce(taskId, { tool, requestId, contract }) {
      const outputSchema = contract?.outputText;
      await guarded(store.keep(server, keyOf(taskId), { tool, requestId, outputSchema }));
    },
    async find(taskId) {
      const kept = await guarded(store.find(server, keyOf(taskId)));
      if (kept === undefined) return undefined;
      const { tool, requestId, outputSchema } = kept;
      const declared = outputSchema === undefined ? {} : { outputSchema };
      return {
        ...{ tool, requestId, wantsTask: true },
        contract: new ToolContract({ name: tool, ...declared }, cache),
        settings: settings(tool),
        startedAt: now(),
        bytesIn: 0,
        verdict: { decision: "allowed", outcome: "skipped" },
        // The gateway that announced it has written the call's record.
        recorded: true,
        sent: true,
      };
    },
  };
}

function keyOf(taskId: string): string {
  return `sha256:${createHash("sha256").update(taskId).digest("hex")}`;
}
