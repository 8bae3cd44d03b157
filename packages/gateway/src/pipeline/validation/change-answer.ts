import type { Frame } from "@touchstone/protocol";
import { OWN_META } from "../../contracts/ask.ts";
import { isModern } from "../era.ts";
import type { PendingRequest } from "../in-flight.ts";
import { learnPage } from "../stages/lists.ts";
import type { PipelineState } from "../state.ts";
import type { AddedValidation } from "./added-validation.ts";

/**
 * A server's answer with what tells of validation in it, where the gateway was told to add that; any
 * other answer is the array that came. Undefined if the gateway adds nothing.
 */
export function withValidation(
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
    // The tool's name must be none of the server's, which may be asked without a session only.
    const asks = method === "server/discover" && source.needs(undefined);
    if (asks) {
      await source.ensure(ask, OWN_META, (lesson, page) =>
        learnPage(state, lesson, page, requested),
      );
    }
    return validation.announce(frame, conversation, source);
  }
  if (method !== "tools/list") return frame.bytes;
  if (isModern(requested)) await validation.ensure(conversation, ask);
  return validation.list(frame, conversation, conversation.contracts(requested));
}
