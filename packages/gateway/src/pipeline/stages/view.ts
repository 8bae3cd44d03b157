import { readFrame } from "@touchstone/protocol";
import type { ListViewer } from "../../features/list-step.ts";
import { LIST_STEPS } from "../../features/list-steps.ts";
import type { ServerExchange, Stage } from "../exchange.ts";
import { describeFaults } from "../faults.ts";
import { type NamedStep, prepareSteps, type ViewedPage, waitForSteps } from "../list-view.ts";
import { blockedList, notRecorded } from "../messages.ts";
import { alwaysBlocked, settle } from "../settle.ts";
import { learnList } from "./lists.ts";

/**
 * Shows a client its view of a tool list: see `list-view.ts`. Contracts were learned before. Records each view of a
 * list once.
 */
export const view: Stage<ServerExchange> = {
  name: "view",
  skipsCalls: true,
  wait(exchange) {
    if (!mayList(exchange)) return undefined;
    const viewer = viewerOf(exchange);
    const waiting = waitForSteps(LIST_STEPS, viewer);
    const show = (): Promise<void> | undefined => showTo(exchange, viewer);
    return waiting === undefined ? show() : waiting.then(show);
  },
  run: ({ early = "continue" }) => early,
};

/**
 * Returns whether a message may contain a tool list for the client: the response to such a request, or any message
 * with a list that has no known request, such as a response on a stream that another gateway began.
 */
function mayList({ frame, pending, isReplaced }: ServerExchange): boolean {
  if (isReplaced || frame.kind === "error") return false;
  return pending === undefined
    ? frame.ranges.tools !== undefined
    : pending.method === "tools/list" && frame.ranges.result !== undefined;
}

function viewerOf({ state, pending, snapshot, revision }: ServerExchange): ListViewer {
  const { context, conversation } = state;
  const source = conversation.contracts(revision);
  return {
    server: context.server,
    settings: snapshot.of,
    // Clients of 2026-07-28 introduce themselves in each request.
    client: pending?.client ?? conversation.client,
    caller: conversation.caller,
    callersDiffer: context.callersDiffer?.() === true,
    pins: context.pins,
    narrowings: snapshot.narrowings,
    revision,
    source,
    strictInput: snapshot.strictInput,
    learnAll: () => (source.book.complete ? undefined : learnList(state, source, revision)),
  };
}

function showTo(exchange: ServerExchange, viewer: ListViewer): Promise<void> | undefined {
  const steps = prepareSteps(LIST_STEPS, viewer);
  return steps.length === 0 ? undefined : show(exchange, steps);
}

async function show(exchange: ServerExchange, steps: readonly NamedStep[]): Promise<void> {
  const { state, frame, era } = exchange;
  const { slice, views, maxTools } = state.context;
  const { namesCacheScope } = era;
  const options = { maxTools, namesCacheScope };
  const shown = await slice.take(views.show(frame, steps, options));
  if (shown === undefined) return;
  if ("unviewable" in shown) block(exchange, steps, shown.unviewable);
  else if (!(await record(exchange, shown))) replace(exchange, notRecorded);
  // Later stages only need the positions of the list's parts, and check nothing.
  else if (shown.bytes !== frame.bytes) exchange.readAs(readFrame(shown.bytes, { outline: true }));
}

/** Sends an error instead of a response. Any other message ends here. */
function replace(exchange: ServerExchange, make: (id: string | undefined) => Uint8Array): void {
  const { frame, pending } = exchange;
  if (frame.kind === "response") exchange.onward = make(pending?.id ?? frame.id);
  else exchange.early = "drop";
}

/** Records what was removed and changed, once for each view. Resolves to false if the record could not be kept. */
async function record({ state }: ServerExchange, shown: ViewedPage): Promise<boolean> {
  const { views, paced, server } = state.context;
  const { view: viewed, key } = shown;
  if (viewed.changes.length === 0 || !views.claim(key)) return true;
  const entry = state.evidence.listChange(shown);
  paced.warn(`${server}: tool list`, `${server}: ${entry.reason}`);
  const kept = await state.append([entry]);
  if (!kept) views.release(key);
  return kept;
}

/** Blocks a list that cannot be read tool by tool: it may contain tools that must be removed. */
function block(exchange: ServerExchange, steps: readonly NamedStep[], why: string): void {
  const { state, entries } = exchange;
  const message = `the server's list of tools cannot be shown in part: ${why}`;
  const keyword = steps.find(({ isStrict }) => isStrict)?.name ?? "";
  const issues = [{ path: "/result/tools", message, rule: "policy", keyword } as const];
  const verdict = alwaysBlocked("strict");
  const reason = (): string => describeFaults(issues);
  const make = (): Uint8Array => {
    replace(exchange, (id) => blockedList(id, message, issues));
    return exchange.onward;
  };
  const reply = { make, toClient: exchange.frame.kind === "response" };
  const what = "server answer";
  settle(state, { direction: "protocol", verdict, issues, reason, what, reply }, entries);
}
