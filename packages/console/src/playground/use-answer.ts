import { useEffect, useState } from "react";
import type { Checker } from "./checker.ts";
import type { QuestionKind, Questions, Reply } from "./question.ts";

/** How long to wait for the next key, in milliseconds. */
const PAUSE_MS = 150;

/** An answer, and whether a newer answer is being computed. */
export interface Current<Kind extends QuestionKind> {
  readonly reply: Reply<Kind> | undefined;
  readonly isBusy: boolean;
}

/** Asks a question whenever it changes. The last answer stays until the next one arrives. */
export function useAnswer<Kind extends QuestionKind>(
  checker: Checker,
  kind: Kind,
  question: Questions[Kind],
): Current<Kind> {
  const [reply, setReply] = useState<Reply<Kind>>();
  const [isBusy, setIsBusy] = useState(true);
  useEffect(() => {
    let isOld = false;
    setIsBusy(true);
    const timer = setTimeout(async () => {
      const next = await checker.ask(kind, question);
      if (isOld || next === undefined) return;
      setReply(next);
      setIsBusy(false);
    }, PAUSE_MS);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [checker, kind, question]);
  return { reply, isBusy };
}
