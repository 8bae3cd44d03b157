import { answer } from "./answer/answer.ts";
import type { QuestionKind, Questions } from "./question.ts";

/** A question with the number that its answer repeats. */
export interface Asked<Kind extends QuestionKind = QuestionKind> {
  readonly id: number;
  readonly kind: Kind;
  readonly question: Questions[Kind];
}

addEventListener("message", ({ data }: MessageEvent<Asked>) => {
  const { id, kind, question } = data;
  void answer(kind, question).then((reply) => postMessage({ id, reply }));
});
