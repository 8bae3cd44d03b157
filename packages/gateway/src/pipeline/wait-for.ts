import type { Frame } from "@touchstone/protocol";
import type { Ask } from "../contracts/ask.ts";
import type { ToolContract } from "../contracts/contract.ts";
import type { ContractSource } from "../contracts/source.ts";
import { isModern } from "./era.ts";
import { recallTask } from "./foreign-task.ts";
import type { ListLessons } from "./list-lessons.ts";
import { listMeta } from "./list-meta.ts";
import type { PipelineState } from "./state.ts";

/** Tells what has to be known before a client's frame is judged, and sees to it. */
export class WaitFor {
  readonly #state: PipelineState;
  readonly #learnt: ListLessons["learnt"];
  readonly #ask: Ask;

  /**
   * @param ask sends the gateway's own requests to the upstream
   * @param learnt takes each page of a list that was asked for
   */
  constructor(state: PipelineState, ask: Ask, learnt: ListLessons["learnt"]) {
    this.#state = state;
    this.#ask = ask;
    this.#learnt = learnt;
  }

  /**
   * What a frame has to wait for: a call for the tool list, the question for a task's result for the
   * call that made it. Undefined where there is nothing, `"full"` where it may not wait behind all
   * that does already; else it never rejects.
   */
  known(frame: Frame): Promise<unknown> | "full" | undefined {
    const wait = this.#wait(frame);
    return wait && (this.#state.context.held.take(frame.bytes.length, wait) ?? "full");
  }

  #wait(frame: Frame): Promise<unknown> | undefined {
    if (frame.toolName === undefined) return recallTask(this.#state, frame);
    const { context, conversation } = this.#state;
    const { input, output } = context.settings(frame.toolName);
    const revision = frame.protocolVersion ?? conversation.revision;
    const repeats = conversation.repeatsArguments === true && isModern(revision);
    const validation = context.validation?.();
    const validates = validation?.isNamed(frame.toolName) === true;
    if (input.mode === "off" && output.mode === "off" && !repeats && !validates) return undefined;
    const source = conversation.contracts(revision);
    const learning = source.needed ? this.#learn(source, frame, revision) : undefined;
    if (!(validates && isModern(revision))) return learning;
    return Promise.all([learning, validation.ensure(conversation, this.#ask)]);
  }

  /**
   * The contract of the tool that a call names. Where no list is known it is asked for first, unless
   * too much waits for it already. Undefined where there is none. Never rejects.
   */
  async contractOf(call: Frame): Promise<ToolContract | undefined> {
    const { toolName } = call;
    if (toolName === undefined) return undefined;
    const { context, conversation } = this.#state;
    const revision = call.protocolVersion ?? conversation.revision;
    const source = conversation.contracts(revision);
    if (source.needed)
      await context.held.take(call.bytes.length, this.#learn(source, call, revision));
    return source.get(toolName);
  }

  #learn(source: ContractSource, frame: Frame, revision: string | undefined): Promise<void> {
    const meta = isModern(revision) ? listMeta(frame) : undefined;
    return source.ensure(this.#ask, meta, (lesson, page) => this.#learnt(lesson, page, revision));
  }
}
