import type { Issue } from "@touchstone/core";
import {
  announcesTasks,
  type Frame,
  readFrame,
  routingTwin,
  spliceFrame,
} from "@touchstone/protocol/advanced";
import { BoundedMap } from "@touchstone/util";
import type { Era } from "../eras/era.ts";
import type { Caller } from "../features/caller.ts";
import type { Conversation, PipelineContext, TaskMap } from "./context.ts";
import { protocolFault } from "./faults.ts";
import type { PendingRequest, ToolCall } from "./in-flight.ts";
import type { ResultPointer } from "./judge.ts";

/** How many tasks to remember; older ones are dropped. */
const MAX_TASKS = 1_000;

export function createTaskMap(): TaskMap {
  return new BoundedMap(MAX_TASKS);
}

/**
 * Returns the tasks of one caller among all tasks of a server. Tasks of other callers with the same id are excluded.
 * @param all those of all callers
 */
export function tasksOf(all: TaskMap, caller: Caller | undefined): TaskMap {
  const key = (taskId: string): string => JSON.stringify([caller?.name ?? null, taskId]);
  return {
    get size() {
      return all.size;
    },
    get: (taskId) => all.get(key(taskId)),
    set: (taskId, call) => all.set(key(taskId), call),
  };
}

/**
 * Returns the tasks of one session. Another session of the same server may fetch their results. A server may use the
 * same id in several sessions, so a session's own task comes first.
 * @param server those of all its sessions
 */
export function createSessionTasks(server: TaskMap): TaskMap {
  const own = createTaskMap();
  return {
    get size() {
      return own.size;
    },
    get: (taskId) => own.get(taskId) ?? server.get(taskId),
    set: (taskId, call) => {
      server.set(taskId, call);
      return own.set(taskId, call);
    },
  };
}

/**
 * Returns the id of the task that a call's result announces instead of a result, if the client may expect one (MCP
 * 2025-11-25, Tasks; from 2026-07-28 on, and earlier if both sides agreed on it, the extension
 * `io.modelcontextprotocol/tasks`). A result with structured content is a result and is checked like any other.
 * @param era of the request
 * @param extension whether the extension is agreed on
 */
export function announcedTask(
  frame: Frame,
  { method, call }: PendingRequest,
  era: Era,
  extension: boolean,
): string | undefined {
  if (method !== "tools/call" || frame.range("/result/structuredContent")) return undefined;
  const announces = era.announcesTask(frame, extension, call?.wantsTask === true);
  return announces ? frame.taskId : undefined;
}

/** How a task ends without a result. */
const ENDS: ReadonlySet<string> = new Set(['"failed"', '"cancelled"']);
const MAX_END = '"cancelled"'.length;

/** Returns whether a response reports how a task ended. */
export function isTaskEnd(frame: Frame, { method }: PendingRequest): boolean {
  if (method === "tasks/result") return true;
  if (method !== "tasks/get") return false;
  const status = frame.range("/result/status");
  return (
    frame.range("/result/result") !== undefined ||
    (status !== undefined && status.end - status.start <= MAX_END && ENDS.has(frame.text(status)))
  );
}

/**
 * Returns what is wrong with an announcement whose task id belongs to the task of another call with an unfetched
 * result: this call's contract would then check that result.
 */
export function taskIdConflict(
  announced: string | undefined,
  call: ToolCall | undefined,
  tasks: TaskMap,
): Issue | undefined {
  const other = announced === undefined ? undefined : tasks.get(announced);
  if (other === undefined || call === undefined || other.fetched === true) return undefined;
  if (other.requestId === call.requestId) return undefined;
  if (other.contract?.outputHash === call.contract?.outputHash) return undefined;
  return protocolFault(
    "/result/taskId",
    "taskId is that of another call's task, whose result was not fetched yet",
  );
}

/** Returns where the call's result is in a response; undefined while its task has none. */
export function callResultPointer(
  frame: Frame,
  { method }: PendingRequest,
): ResultPointer | undefined {
  if (method !== "tasks/get") return "/result";
  return frame.range("/result/result") === undefined ? undefined : "/result/result";
}

/** Returns the response with an error instead of a blocked result; everything else stays. */
export function replaceResultWithError(
  frame: Frame,
  at: ResultPointer,
  error: Uint8Array,
): Uint8Array {
  const range = frame.range(at);
  const stand = readFrame(error);
  const { result } = stand.ranges;
  if (at === "/result" || range === undefined || result === undefined) return error;
  return spliceFrame(frame.bytes, [{ range, text: stand.text(result) }]);
}

/**
 * Notifications about a task. The first one contains the result of a finished task (SEP-2663). The second one should
 * not (2025-11-25), but a client may read a result in it as well.
 */
const TASK_NOTIFICATIONS: ReadonlySet<string> = new Set([
  "notifications/tasks",
  "notifications/tasks/status",
]);

/** Returns where the result of a finished task is in a notification about it; undefined if there is none. */
export function notifiedResultPointer(frame: Frame): ResultPointer | undefined {
  const at = "/params/result";
  const { method = "" } = frame;
  return TASK_NOTIFICATIONS.has(method) && frame.range(at) !== undefined ? at : undefined;
}

/** Requests about a task whose responses contain the result of the call that made it. */
export const TASK_RESULT_METHODS: ReadonlySet<string> = new Set(["tasks/result", "tasks/get"]);

/**
 * Looks up the task of a request that another gateway may have seen announced. Undefined if there is no need to wait;
 * else resolves when the task is known here, or known to be missing. Never rejects.
 */
export function lookUpSharedTask(
  {
    context: { sharedTasks },
    conversation: { caller, isBound },
    tasks,
  }: {
    readonly context: PipelineContext;
    readonly conversation: Conversation;
    readonly tasks: TaskMap;
  },
  { method = "", taskId }: Pick<Frame, "method" | "taskId">,
): Promise<unknown> | undefined {
  const isMeant = isBound === true ? OF_TASKS.test(method) : TASK_RESULT_METHODS.has(method);
  if (sharedTasks === undefined || taskId === undefined || !isMeant) return undefined;
  if (tasks.get(taskId) !== undefined) return undefined;
  return sharedTasks.find(taskId, caller?.name).then((call) => {
    if (call !== undefined) tasks.set(taskId, call);
  });
}

/** The methods about tasks, lower-cased: some servers ignore case. */
const OF_TASKS = /^\s*tasks?\//i;

/**
 * Returns why a request about tasks is refused: it may be about another caller's task, because the server does not
 * distinguish callers. Undefined if it is not about tasks, if callers are not distinguished, or if the server has
 * tasks of this client only.
 */
export function foreignTaskReason(
  { conversation, tasks }: { readonly conversation: Conversation; readonly tasks: TaskMap },
  frame: Frame,
): string | undefined {
  if (conversation.isBound !== true || conversation.tasks === undefined) return undefined;
  const { kind, method = "", taskId } = frame;
  if (kind !== "request" || !OF_TASKS.test(method)) return undefined;
  if (taskId === undefined) {
    return "the server does not know whose tasks it has, so they cannot be listed for one caller; ask for each by its taskId";
  }
  if (routingTwin(frame, true) === undefined && tasks.get(taskId) !== undefined) return undefined;
  return "no task of this caller has this taskId: it has ended, was forgotten, or never existed";
}

const UNSEEN = {
  code: "unseen",
  reason: "the gateway has not seen the call that made this task, or has forgotten it",
} as const;

/**
 * Represents the call of an unknown task, such as one from before the gateway started. It may be of any tool, so the
 * server's strictest mode for results applies.
 */
export function unknownTaskCall({ context }: { readonly context: PipelineContext }): ToolCall {
  const { server: settings, strictestForOutput } = context.snapshot();
  return {
    tool: undefined,
    contract: undefined,
    gap: UNSEEN,
    settings: {
      ...settings,
      output: { ...settings.output, mode: strictestForOutput },
    },
    requestId: context.newRequestId(),
    startedAt: context.now(),
    bytesIn: undefined,
    wantsTask: true,
    verdict: { decision: "allowed", outcome: "skipped" },
    // The gateway that saw the call has written its record.
    recorded: true,
    sent: true,
  };
}

/**
 * Whether results up to 2025-11-25 may also be tasks of the extension `io.modelcontextprotocol/tasks` (SEP-2663),
 * which differ from the revision's own tasks. From 2026-07-28 on no agreement is needed.
 */
export class TasksExtension {
  #client: boolean | undefined;
  #server: boolean | undefined;

  /** Notes what `initialize`, or its response, announces. */
  handshake(frame: Frame): void {
    if (frame.kind === "response") this.#server = announcesTasks(frame);
    else this.#client = announcesTasks(frame);
  }

  /** Whether both sides announced it, or may have done so in a handshake that the gateway did not see. */
  get agreed(): boolean {
    return this.#client !== false && this.#server !== false;
  }
}
