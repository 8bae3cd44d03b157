import type { ReactElement, ReactNode } from "react";
import { ExternalText } from "../ui/external-text.tsx";
import type { QuestionKind, Reply } from "./question.ts";
import type { Current } from "./use-answer.ts";

/** Shows an answer, the reason why there is none, or that it is still being computed. */
export function AnswerFrame<Kind extends QuestionKind>({
  answer: { reply, isBusy },
  children,
}: {
  readonly answer: Current<Kind>;
  readonly children: (answer: Extract<Reply<Kind>, { readonly ok: true }>) => ReactNode;
}): ReactElement {
  return (
    <section aria-label="Result" aria-busy={isBusy} className="flex min-w-0 flex-col gap-4">
      <p role="status" className="min-h-5 text-[0.8125rem] text-soft">
        {isBusy ? "Checking…" : ""}
      </p>
      {reply?.ok === false && (
        <p role="alert" className="rounded-md border border-bad bg-bad-soft px-3 py-2 text-bad">
          <ExternalText text={reply.message} />
        </p>
      )}
      {reply?.ok === true && children(reply as Extract<Reply<Kind>, { readonly ok: true }>)}
    </section>
  );
}

/** Lists what a reader should know about a list. */
export function Notes({ notes }: { readonly notes: readonly string[] }): ReactElement | null {
  if (notes.length === 0) return null;
  return (
    <ul className="flex flex-col gap-1 text-[0.8125rem] text-warn">
      {notes.map((note) => (
        <li key={note}>
          <ExternalText text={note} />
        </li>
      ))}
    </ul>
  );
}

/** Says how many items a list omits. */
export function More({ count }: { readonly count: number }): ReactElement | null {
  return count === 0 ? null : <p className="text-[0.8125rem] text-soft">and {count} more</p>;
}
