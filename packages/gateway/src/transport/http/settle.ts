import type { CutMessage, Frame } from "@touchstone/protocol";
import type { Pipeline } from "../../pipeline.ts";
import type { Awaitable } from "../awaitable.ts";
import type { Failure } from "./failure.ts";
import { requestsOf } from "./messages.ts";

/** A POST, and the pipeline that its requests went through. */
interface Asked {
  readonly pipeline: Pipeline;
  /** Undefined for a GET or DELETE. */
  readonly frame: Frame | undefined;
  readonly maxBytes: number;
}

/** Ends the requests of a POST that have no answer. Gives the errors for the client. */
export function settle(asked: Asked, failure: Failure): Awaitable<readonly Uint8Array[]> {
  const { frame, pipeline } = asked;
  const { reason, cut, unreadable } = failure;
  const requests = frame === undefined ? [] : requestsOf(frame);
  const keys = (): string[] => requests.flatMap(({ idKey }) => idKey ?? []);
  if (cut !== undefined) return refuseCut(asked, cut, keys());
  if (unreadable === true && requests.length > 0) {
    return pipeline
      .unreadable(reason, keys())
      .then(({ onward }) => (onward === undefined ? [] : [onward]));
  }
  const answers: Promise<Uint8Array | undefined>[] = [];
  for (const { idKey } of requests) {
    const answer = idKey === undefined ? undefined : pipeline.fail(idKey, reason);
    if (answer !== undefined) answers.push(answer);
  }
  // Most requests have their answers.
  if (answers.length === 0) return [];
  return Promise.all(answers).then((all) => all.filter((answer) => answer !== undefined));
}

/**
 * Records an answer that is too large. Gives the error for the requests that it ends.
 * @param keys of the requests that can have no other answer
 */
export async function refuseCut(
  { maxBytes, pipeline }: Asked,
  cut: CutMessage,
  keys: readonly string[],
): Promise<Uint8Array[]> {
  const { onward } = await pipeline.oversize("server", cut, maxBytes, keys);
  return onward === undefined ? [] : [onward];
}
