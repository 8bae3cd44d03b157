import { messageOf } from "@touchstone/core/advanced";
import { decodeState, encodeState } from "../address.ts";
import type { Answers, QuestionKind, Questions, Reply } from "../question.ts";
import { answerCall } from "./call.ts";
import { answerClients } from "./clients.ts";
import { answerCompare } from "./compare.ts";
import { UnusableTextError } from "./tools.ts";

type Answerer<Kind extends QuestionKind> = (
  question: Questions[Kind],
) => Answers[Kind] | Promise<Answers[Kind]>;

const ANSWERS: { readonly [Kind in QuestionKind]: Answerer<Kind> } = {
  call: answerCall,
  clients: answerClients,
  compare: answerCompare,
  encode: async (state) => ({ fragment: await encodeState(state) }),
  decode: async ({ fragment }) => ({ state: await decodeState(fragment) }),
};

/** Answers a question of the page. Never rejects. */
export async function answer<Kind extends QuestionKind>(
  kind: Kind,
  question: Questions[Kind],
): Promise<Reply<Kind>> {
  try {
    return { ok: true, ...(await ANSWERS[kind](question)) };
  } catch (error) {
    const message = messageOf(error);
    return {
      ok: false,
      message:
        error instanceof UnusableTextError ? message : `This could not be checked: ${message}`,
    };
  }
}
