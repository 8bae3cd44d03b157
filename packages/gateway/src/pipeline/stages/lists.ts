import { type Frame, revisionOf } from "@touchstone/protocol/advanced";
import type { ActivityEntry } from "@touchstone/records/record";
import type { ContractSource, LearnedPage } from "../../contracts/contract-source.ts";
import { eraOf } from "../../eras/eras.ts";
import { decideProtocol } from "../../policy/decide.ts";
import { isDeclaredList, learnDeclared } from "../declared-lists.ts";
import type { ServerExchange, Stage } from "../exchange.ts";
import { withListFaults } from "../faults.ts";
import type { PendingRequest } from "../in-flight.ts";
import { isMergedPage, mergePages } from "../merge-pages.ts";
import { settleProtocol } from "../settle.ts";
import type { PipelineState } from "../state.ts";
import { responseFaults, responseFaultsAhead, serverMessageContext } from "./protocol.ts";

/**
 * Learns contracts from a forwarded list of tools, and compares a forwarded list of prompts or resource templates
 * with the approved one; adds the faults found while reading it.
 */
export const lists: Stage<ServerExchange> = {
  name: "lists",
  skipsCalls: true,
  wait(exchange) {
    const { state, frame, pending } = exchange;
    if (frame.kind !== "response" || pending === undefined) return undefined;
    if (pending.method === "tools/list") return learn(exchange, pending);
    const isPinned = state.context.pins?.isOn === true && isDeclaredList(pending.method);
    return isPinned && !isBlocked(exchange) ? learnDeclared(exchange, pending) : undefined;
  },
  run: () => "continue",
};

function isBlocked({ faults, protocol }: ServerExchange): boolean {
  return decideProtocol(faults.errors.length, protocol).decision === "blocked";
}

async function learn(exchange: ServerExchange, pending: PendingRequest): Promise<void> {
  const { state, frame, entries, faults } = exchange;
  if (isBlocked(exchange)) return;
  const source = state.conversation.contracts(pending.revision);
  const lesson = await source.learn(frame, pending.cursor);
  await addChanges(state, lesson, entries);
  exchange.faults = withListFaults(faults, lesson);
  if (isMergedPage(exchange, pending)) {
    await mergePages(exchange, pending, source, learnPage);
  }
}

/** Adds the records of what changed in a list, which may have thousands of tools. */
function addChanges(
  { context, evidence }: PipelineState,
  lesson: LearnedPage,
  entries: ActivityEntry[],
): Promise<void> {
  function* steps(): Generator<void, void, void> {
    for (const entry of evidence.toolChanges(lesson)) {
      entries.push(entry);
      yield;
    }
  }
  return context.slice.take(steps());
}

/** Fetches a whole list and learns it. Never rejects. */
export function learnList(
  state: PipelineState,
  source: ContractSource,
  revision: string | undefined,
): Promise<void> {
  const { ownMeta } = eraOf(revision);
  return source.ensure(state.ask, ownMeta, (lesson, page) =>
    learnPage(state, lesson, page, revision),
  );
}

/**
 * Checks a page of a list that the gateway requested, and records what it learns. Resolves to false if that could not
 * be recorded.
 * @param revision of the request
 */
export async function learnPage(
  state: PipelineState,
  lesson: LearnedPage,
  page: Frame,
  revision: string | undefined,
): Promise<boolean> {
  const { context } = state;
  const entries: ActivityEntry[] = [];
  await addChanges(state, lesson, entries);
  const pending: PendingRequest = { id: page.id ?? "null", method: "tools/list", revision };
  const { protocol: settings } = context.snapshot().server;
  const rules = revision === undefined ? undefined : revisionOf(revision);
  const answer = { frame: page, pending, rules };
  await context.slice.take(responseFaultsAhead(state, answer, settings));
  const said = serverMessageContext(state, answer);
  const faults = withListFaults(responseFaults(state, answer, settings, said), lesson);
  // The client gets no part of it.
  const check = { settings, what: "tools/list", neverBlocked: true, page };
  settleProtocol(state, faults, check, entries);
  return state.append(entries);
}
