import { createHash } from "node:crypto";
import type { SchemaCache } from "@touchstone/core/advanced";
import type { TaskStore } from "@touchstone/records/plain";
import type { PacedLog } from "@touchstone/util";
import { ToolContract } from "../contracts/contract.ts";
import type { UnknownSchemaReason } from "../contracts/contract-source.ts";
import type { SharedTasks } from "../pipeline/context.ts";
import type { ToolCall } from "../pipeline/in-flight.ts";

export interface SharedTasksParts {
  readonly server: string;
  readonly store: TaskStore;
  readonly cache: SchemaCache;
  readonly settings: (tool: string) => ToolCall["settings"];
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  readonly paced: PacedLog;
}

/** Announces tasks to other gateways, and finds theirs, so that each checks the results. */
export function shareTasks({
  server,
  store,
  cache,
  settings,
  now,
  paced,
}: SharedTasksParts): SharedTasks {
  const guarded = async <T>(step: Promise<T>): Promise<T | undefined> => {
    try {
      return await step;
    } catch (error) {
      const what = "a task is not known to all gateways, so the others cannot check its result";
      paced.error(`${server}: ${what}`, what, { server, error: String(error) });
      return undefined;
    }
  };
  return {
    async announce(taskId, { tool, requestId, contract, gap }, owner) {
      if (tool === undefined) return;
      const outputSchema = contract?.outputText;
      const known = contract !== undefined;
      const task = { tool, requestId, outputSchema, known, gap: gap && storedUnknownReason(gap) };
      await guarded(store.keep(server, keyOf(taskId, owner), task));
    },
    async find(taskId, owner) {
      const kept = await guarded(store.find(server, keyOf(taskId, owner)));
      if (kept === undefined) return undefined;
      const { tool, requestId, outputSchema, known, gap } = kept;
      const declared = outputSchema === undefined ? {} : { outputSchema };
      return {
        ...{ tool, requestId, wantsTask: true },
        contract: known ? new ToolContract({ name: tool, ...declared }, cache) : undefined,
        gap,
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

/** Returns the parts of a gap that other gateways need. */
export function storedUnknownReason({ code, reason }: UnknownSchemaReason): UnknownSchemaReason {
  return { code, reason };
}

/** Returns the key of a task. Keys of callers' tasks have another form, so that no other id can equal them. */
function keyOf(taskId: string, owner: string | undefined): string {
  const hash = createHash("sha256").update(
    owner === undefined ? taskId : JSON.stringify([owner, taskId]),
  );
  return `${owner === undefined ? "" : "caller-"}sha256:${hash.digest("hex")}`;
}
