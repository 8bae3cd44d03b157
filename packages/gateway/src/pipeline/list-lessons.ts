import type { Frame } from "@touchstone/protocol";
import type { ActivityEntry } from "../activity/record.ts";
import type { Lesson } from "../contracts/source.ts";
import { decideProtocol } from "../policy/decide.ts";
import type { ProtocolCheckSettings } from "../policy/settings.ts";
import { type MessageFaults, withLesson } from "./faults.ts";
import type { PendingRequest } from "./inflight.ts";
import { readJudged } from "./judged-frame.ts";
import { protocolFaults } from "./protocol-faults.ts";
import { settleProtocol } from "./settle.ts";
import type { PipelineState } from "./state.ts";

/** A page of a list of tools, and the request that it answers. */
interface Listed {
  readonly frame: Frame;
  readonly pending: PendingRequest;
}

/** Learns contracts from lists of tools. */
export class ListLessons {
  readonly #state: PipelineState;

  constructor(state: PipelineState) {
    this.#state = state;
  }

  /** Learns from a list of tools that is let through; adds the faults that were met on the way. */
  async learn(
    { frame, pending }: Listed,
    faults: MessageFaults,
    protocol: ProtocolCheckSettings,
    entries: ActivityEntry[],
  ): Promise<MessageFaults> {
    const { conversation, evidence } = this.#state;
    if (decideProtocol(faults.errors.length, protocol).decision === "blocked") return faults;
    const source = conversation.contracts(pending.revision);
    const lesson = await source.learn(frame, pending.cursor);
    // One by one: a list may have more changes than a call takes arguments.
    for (const change of lesson.changes) entries.push(evidence.schemaChange(change));
    return withLesson(faults, lesson);
  }

  /**
   * Judges a page of a list that the gateway asked for itself and notes what it teaches. Nothing of
   * it goes to a client, so nothing is blocked. False where that could not be recorded.
   * @param revision that the gateway asked under
   */
  async learnt(lesson: Lesson, page: Frame, revision: string | undefined): Promise<boolean> {
    const { context, evidence } = this.#state;
    const entries = lesson.changes.map((change) => evidence.schemaChange(change));
    const pending: PendingRequest = { id: page.id ?? "null", method: "tools/list", revision };
    // It was read to learn from it, without a look for keys that stand twice.
    const judged = readJudged(context, page.bytes, () => undefined);
    const { protocol: settings } = context.settings();
    const answered = protocolFaults(this.#state, { frame: judged, pending }, settings);
    // Nothing of it goes to a client.
    const check = { settings, what: "tools/list", neverBlocked: true, page: judged };
    settleProtocol(this.#state, withLesson(answered, lesson), check, entries);
    return this.#state.append(entries);
  }
}
