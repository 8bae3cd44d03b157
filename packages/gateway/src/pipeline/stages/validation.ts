import { type Frame, LATEST_LEGACY } from "@touchstone/protocol/advanced";
import { eraOf } from "../../eras/eras.ts";
import { modern } from "../../eras/modern.ts";
import type { AddedValidation, ValidationResponse } from "../added-validation.ts";
import type { ClientExchange, ServerExchange, Stage } from "../exchange.ts";
import { forwardedStatus, type PendingRequest } from "../in-flight.ts";
import type { PipelineState } from "../state.ts";
import { learnPage } from "./lists.ts";

/** Responses to calls of the validation tool, by their messages. */
const made: WeakMap<ClientExchange, ValidationResponse> = new WeakMap();

/** Answers calls of the validation tool that the gateway added for a server without one. */
export const validationClient: Stage<ClientExchange> = {
  name: "validation",
  isOn: ({ validation }) => validation !== undefined,
  wait(exchange) {
    const validation = validationOf(exchange);
    if (validation === undefined) return undefined;
    const { state, frame } = exchange;
    const answering = answer(exchange, validation);
    const waiting = state.context.held.take(frame.bytes.length, answering);
    exchange.held = true;
    exchange.crowdedOut ||= waiting === undefined;
    return waiting;
  },
  run(exchange) {
    const { call, state } = exchange;
    const answered = made.get(exchange);
    // A later stage rejects a call whose check did not fit into the queue.
    if (call === undefined || answered === undefined) return "continue";
    const { bytes, result, isError } = answered;
    call.own = true;
    const allowed = forwardedStatus(call);
    exchange.entries.push(
      state.evidence.toolCall(call, isError ? "error" : allowed, {
        bytes: bytes.length,
        reason: "answered by the gateway, which validates for this server",
        ...(state.context.bodies === "all" ? { result } : {}),
      }),
    );
    return { respond: bytes };
  },
};

/** Adds to introductions and tool lists that the gateway validates for the server, if configured. */
export const validationServer: Stage<ServerExchange> = {
  name: "validation",
  isOn: ({ validation }) => validation !== undefined,
  skipsCalls: true,
  wait(exchange) {
    const { state, frame, pending, isReplaced, snapshot } = exchange;
    const { validation } = snapshot;
    const changes = pending !== undefined && !isReplaced && frame.kind === "response";
    if (!changes || validation === undefined) return undefined;
    return changed(validation, state, frame, pending).then((changed) => {
      exchange.onward = changed;
    });
  },
  run: () => "continue",
};

/** Returns the validation that answers a call; undefined unless it calls the validation tool of the gateway. */
function validationOf({
  state,
  call,
  source,
  snapshot,
}: ClientExchange): AddedValidation | undefined {
  const { validation } = snapshot;
  if (call?.tool === undefined || !validation?.isNamed(call.tool)) return undefined;
  return validation.serves(call.tool, state.conversation, source) ? validation : undefined;
}

/** Never rejects. */
async function answer(exchange: ClientExchange, validation: AddedValidation): Promise<void> {
  const { state, frame, era, source, settings } = exchange;
  const { names } = settings.adapt ?? {};
  const { session, sender, caller } = state.conversation;
  // The lists are those of the client that sends the call. The arguments of a call are the same in every revision.
  const revision = LATEST_LEGACY.version;
  const conversation = {
    ...{ contracts: () => source, revision, sender, caller },
    ...(session === undefined ? {} : { session }),
  };
  const answered = await validation.answer(frame, source, {
    ...{ maxBytes: settings.input.maxBytes, era },
    own: (name) => (names && source.names(names).own(name)) ?? name,
    decide: (tool, args) => state.context.decide(conversation, { tool, arguments: args }),
  });
  made.set(exchange, answered);
}

/** Returns a server's response with the announcement of validation. Any other response is returned unchanged. */
async function changed(
  validation: AddedValidation,
  state: PipelineState,
  frame: Frame,
  { method, revision: requested }: PendingRequest,
): Promise<Uint8Array> {
  const { ask, conversation, context } = state;
  if (method === "initialize" || method === "server/discover") {
    const source = conversation.contracts(frame.initializeVersion ?? requested);
    // The tool's name must differ from those of the server's tools. Only a server without sessions can be asked for
    // its tools at this point.
    const asks = method === "server/discover" && source.needs(undefined);
    if (asks) {
      await source.ensure(ask, modern.ownMeta, (lesson, page) =>
        learnPage(state, lesson, page, requested),
      );
    }
    return context.slice.take(validation.announce(frame, conversation, source));
  }
  if (method !== "tools/list") return frame.bytes;
  if (!eraOf(requested).hasHandshake) await validation.ensure(conversation, ask);
  return context.slice.take(
    validation.list(frame, conversation, conversation.contracts(requested)),
  );
}
