import { ERROR_CODES, errorFrame, type Frame } from "@touchstone/protocol";
import type { Awaitable } from "./awaitable.ts";
import type { PipelineContext } from "./context.ts";
import type { Passage } from "./state.ts";

/** Passes a frame; whatever goes wrong inside, its sender or receiver gets an answer. Never rejects. */
export function guarded(
  context: PipelineContext,
  frame: Frame,
  pass: () => Awaitable<Passage>,
): Awaitable<Passage> {
  try {
    const passage = pass();
    if (!(passage instanceof Promise)) return passage;
    return passage.catch((error: unknown) => unjudged(context, frame, error));
  } catch (error) {
    return unjudged(context, frame, error);
  }
}

function unjudged(context: PipelineContext, frame: Frame, error: unknown): Passage {
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const what = "a message could not be judged";
  context.paced.error(`${context.server}: ${what}`, what, { server: context.server, reason });
  const text = "touchstone: this message could not be judged; see the gateway's log";
  const answer = errorFrame(frame.id ?? null, ERROR_CODES.internalError, text);
  if (frame.kind === "request") return { back: [answer] };
  return frame.kind === "notification" || frame.id === undefined ? {} : { onward: answer };
}
