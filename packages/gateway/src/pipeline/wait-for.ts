import type { Frame } from "@touchstone/protocol";
import type { Ask } from "../contracts/ask.ts";
import type { ToolContract } from "../contracts/contract.ts";
import type { ContractSource } from "../contracts/source.ts";
import type { Verdict } from "../policy/decide.ts";
import { clientFaults } from "./client-faults.ts";
import { isModern } from "./era.ts";
import type { TransportFault } from "./faults.ts";
import { recallTask } from "./foreign-task.ts";
import { checkInputAhead } from "./judge.ts";
import type { ListLessons } from "./list-lessons.ts";
import { OWN_META } from "./list-meta.ts";
import type { PipelineState } from "./state.ts";

const BY_SCHEMA: Verdict = {
  ...{ decision: "blocked", outcome: "violation", mode: "strict", record: true },
};

/** Fetches whatever must be known before a client's frame can be checked. */
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
   * @param transport what is wrong with what the transport says of the frame
   */
  known(frame: Frame, transport?: TransportFault): Promise<unknown> | "full" | undefined {
    const learning = this.#wait(frame, transport);
    const wait =
      learning === undefined ? this.#check(frame) : learning.then(() => this.#check(frame));
    return wait && (this.#state.context.held.take(frame.bytes.length, wait) ?? "full");
  }

  /** The check of a call's arguments, if it takes long; undefined if there is nothing to wait for. */
  #check(frame: Frame): Promise<void> | undefined {
    const { toolName } = frame;
    if (toolName === undefined) return undefined;
    const { context, conversation } = this.#state;
    const source = conversation.contracts(frame.protocolVersion ?? conversation.revision);
    const { contract } = source.lookup(toolName);
    return checkInputAhead(frame, contract, context.settings(toolName), this.#state.later);
  }

  #wait(frame: Frame, transport: TransportFault | undefined): Promise<unknown> | undefined {
    if (frame.toolName === undefined) return recallTask(this.#state, frame);
    const { context, conversation } = this.#state;
    const { input, output } = context.settings(frame.toolName);
    const revision = frame.protocolVersion ?? conversation.revision;
    const repeats = conversation.repeatsArguments === true && isModern(revision);
    const validation = context.validation?.();
    const validates = validation?.isNamed(frame.toolName) === true;
    if (input.mode === "off" && output.mode === "off" && !repeats && !validates) return undefined;
    const source = conversation.contracts(revision);
    const learning = this.#prepare(source, frame, revision, transport);
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
    const learning = this.#prepare(source, call, revision, undefined);
    if (learning !== undefined) await context.held.take(call.bytes.length, learning);
    return source.lookup(toolName).contract;
  }

  /** What a call has to wait for to know its tool's schemas; undefined if they are known, or will not be. */
  #prepare(
    source: ContractSource,
    frame: Frame,
    revision: string | undefined,
    transport: TransportFault | undefined,
  ): Promise<void> | undefined {
    const { toolName = "" } = frame;
    const asks = source.needs(toolName) && (source.asking || this.#mayAsk(frame, transport));
    if (!asks) return source.recall(toolName);
    const meta = isModern(revision) ? OWN_META : undefined;
    return source
      .ensure(this.#ask, meta, (lesson, page) => this.#learnt(lesson, page, revision))
      .then(() => source.recall(toolName));
  }

  /** Whether a frame may cause a request: only one with which nothing is wrong, as far as is checked. */
  #mayAsk(frame: Frame, transport: TransportFault | undefined): boolean {
    const { input, protocol } = this.#state.context.settings(frame.toolName);
    if (protocol.mode === "off") return true;
    if (transport !== undefined && protocol.mode === "strict") return false;
    // Whether the arguments are an object is for the schema to say that is asked for.
    const ofSchema = input.mode === "off" ? undefined : () => BY_SCHEMA;
    return clientFaults(this.#state, frame, { protocol, ofSchema }).errors.length === 0;
  }
}
