import type { Frame } from "@touchstone/protocol";
import { eraOf } from "../../eras/eras.ts";
import { modern } from "../../eras/modern.ts";
import { decidePin } from "../../policy/pin.ts";
import type { ActivityEntry } from "../../records/record.ts";
import type { AddedValidation } from "../added-validation.ts";
import type { ClientExchange, ServerExchange, Stage } from "../exchange.ts";
import type { PendingRequest, ToolCall } from "../in-flight.ts";
import type { PipelineState } from "../state.ts";
import { learnPage } from "./lists.ts";

/** Answers calls of the validation tool that the gateway added for a server without one. */
export const validationClient: Stage<ClientExchange> = {
  name: "validation",
  run(exchange) {
    const { call } = exchange;
    const answered = call && validationOf(exchange, call);
    if (answered === undefined) return "continue";
    exchange.entries.push(answered.entry);
    return { respond: answered.bytes };
  },
};

/** Adds to introductions and tool lists that the gateway validates for the server, if configured. */
export const validationServer: Stage<ServerExchange> = {
  name: "validation",
  wait(exchange) {
    const { frame, pending, isReplaced } = exchange;
    const changes = pending && !pending.call && !isReplaced && frame.kind === "response";
    if (!changes) return undefined;
    return withValidation(exchange.state, frame, pending)?.then((changed) => {
      exchange.onward = changed;
    });
  },
  run: () => "continue",
};

/** A call that the gateway answered itself. */
interface AnsweredCall {
  readonly bytes: Uint8Array;
  /** Its record. */
  readonly entry: ActivityEntry;
}

/** Answers a call of the validation tool for a server that has none; undefined for every other call. */
function validationOf(exchange: ClientExchange, call: ToolCall): AnsweredCall | undefined {
  const { state, frame, era } = exchange;
  const { context, conversation, evidence } = state;
  const { tool } = call;
  const validation = context.validation?.();
  if (tool === undefined || !validation?.isNamed(tool)) return undefined;
  const { source } = exchange;
  if (!validation.serves(tool, conversation, source)) return undefined;
  call.own = true;
  const { maxBytes, maxDepth } = call.settings.input;
  const { names } = call.settings.adapt ?? {};
  const { bytes, result, isError } = validation.answer(frame, source, {
    maxBytes,
    maxDepth,
    era,
    policy: exchange.policy,
    narrowings: context.narrowings?.(),
    own: (name) => (names && source.names(names).own(name)) ?? name,
    isHeld: (name) => {
      const { pin = { mode: "off" } } = context.settings();
      return decidePin(pin, source.lookup(name), context.pins).decision === "blocked";
    },
  });
  const allowed = call.verdict.decision === "warning" ? "warning" : "success";
  const entry = evidence.toolCall(call, isError ? "error" : allowed, {
    bytes: bytes.length,
    reason: "answered by the gateway, which validates for this server",
    ...(context.bodies === true ? { result } : {}),
  });
  return { bytes, entry };
}

/**
 * Returns a server's response with the announcement of validation, if configured. Any other response is the same
 * array that came. Undefined if the gateway adds nothing.
 */
function withValidation(
  state: PipelineState,
  frame: Frame,
  pending: PendingRequest,
): Promise<Uint8Array> | undefined {
  const validation = state.context.validation?.();
  return validation && changed(validation, state, frame, pending);
}

async function changed(
  validation: AddedValidation,
  state: PipelineState,
  frame: Frame,
  { method, revision: requested }: PendingRequest,
): Promise<Uint8Array> {
  const { ask, conversation } = state;
  if (method === "initialize" || method === "server/discover") {
    const source = conversation.contracts(frame.initializeVersion ?? requested);
    // The tool's name must not be one of the server's. Only a server without sessions can be asked for those.
    const asks = method === "server/discover" && source.needs(undefined);
    if (asks) {
      await source.ensure(ask, modern.ownMeta, (lesson, page) =>
        learnPage(state, lesson, page, requested),
      );
    }
    return validation.announce(frame, conversation, source);
  }
  if (method !== "tools/list") return frame.bytes;
  if (!eraOf(requested).hasHandshake) await validation.ensure(conversation, ask);
  return validation.list(frame, conversation, conversation.contracts(requested));
}
