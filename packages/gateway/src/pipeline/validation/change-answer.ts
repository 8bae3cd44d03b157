import type { Frame } from "@touchstone/protocol";
import type { Ask } from "../../contracts/ask.ts";
import type { Learnt } from "../../contracts/source.ts";
import type { Awaitable } from "../awaitable.ts";
import { isModern } from "../era.ts";
import type { PendingRequest } from "../inflight.ts";
import { OWN_META } from "../list-meta.ts";
import type { PipelineState } from "../state.ts";
import type { AddedValidation } from "./added-validation.ts";

/** How the gateway asks the server that an answer is from. */
export interface Asking {
  readonly ask: Ask;
  /** Takes the pages of its tool list. */
  readonly learnt: Learnt;
}

/**
 * A server's answer with what tells of validation in it, where the gateway was told to add that; any
 * other answer is the array that came.
 */
export function withValidation(
  state: PipelineState,
  frame: Frame,
  pending: PendingRequest,
  asking: Asking,
): Awaitable<Uint8Array> {
  const validation = state.context.validation?.();
  return validation === undefined
    ? frame.bytes
    : changed(validation, state, frame, pending, asking);
}

async function changed(
  validation: AddedValidation,
  { conversation }: PipelineState,
  frame: Frame,
  { method, revision: requested }: PendingRequest,
  { ask, learnt }: Asking,
): Promise<Uint8Array> {
  if (method === "initialize" || method === "server/discover") {
    const source = conversation.contracts(frame.initializeVersion ?? requested);
    // The tool's name must be none of the server's, which may be asked without a session only.
    const asks = method === "server/discover" && source.needs(undefined);
    if (asks) await source.ensure(ask, OWN_META, learnt);
    return validation.announce(frame, conversation, source);
  }
  if (method !== "tools/list") return frame.bytes;
  if (isModern(requested)) await validation.ensure(conversation, ask);
  return validation.list(frame, conversation, conversation.contracts(requested));
}
