import { type Frame, readFrame } from "@touchstone/protocol";
import type { Ending } from "./facts.ts";

const MAX_MESSAGE_BYTES = 2_048;
const WELL: Ending = {};

/** How an answer tells of an error: by `error`, or by a result with `isError`. */
export function endingOf(answer: Frame): Ending {
  if (answer.kind === "response") return answer.isError ? { toolError: true } : WELL;
  if (answer.kind !== "error") return WELL;
  const { errorCode: code } = answer;
  const message = messageOf(answer);
  return {
    ...(code === undefined ? {} : { code }),
    ...(message === undefined ? {} : { message }),
  };
}

/** The same of an answer that nobody has read yet. */
export function endingIn(answer: Uint8Array): Ending {
  return endingOf(readFrame(answer));
}

function messageOf(answer: Frame): string | undefined {
  const range = answer.range("/error/message");
  if (range === undefined || range.end - range.start > MAX_MESSAGE_BYTES) return undefined;
  const text = answer.text(range);
  return text.startsWith('"') ? (JSON.parse(text) as string) : undefined;
}
