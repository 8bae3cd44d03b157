import { type ReactElement, useMemo } from "react";
import { Badge } from "../ui/badge.tsx";
import { Card } from "../ui/card.tsx";
import { Code } from "../ui/code.tsx";
import { Diff } from "../ui/diff.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import type { Tone } from "../ui/tones.ts";
import { AnswerFrame, More, Notes } from "./answer-frame.tsx";
import type { ListedChange } from "./question.ts";
import { TextArea } from "./text-area.tsx";
import { useAnswer } from "./use-answer.ts";
import type { ViewProps } from "./view-props.ts";

/** The classes of changes, the most severe first. */
const CLASSES = ["breaking", "unproven", "text", "compatible", "new"] as const;
const TONES: Readonly<Record<ListedChange["class"], Tone>> = {
  breaking: "bad",
  unproven: "warn",
  text: "info",
  compatible: "good",
  new: "plain",
};

function ChangeItem({ change }: { readonly change: ListedChange }): ReactElement {
  const { class: kind, rule, name, path, message, evidence, breaks, diff } = change;
  return (
    <li className="flex min-w-0 flex-col gap-1.5">
      <div>
        <Badge tone={TONES[kind]}>{kind}</Badge>{" "}
        <code className="font-mono text-[0.8125rem]">
          <ExternalText text={`${name} ${path}`} />
        </code>{" "}
        <ExternalText text={message} />
        {evidence !== "" && <span className="text-soft"> ({evidence})</span>}
      </div>
      {breaks !== undefined && (
        <>
          <p className="text-[0.8125rem] text-soft">
            {rule.startsWith("output") || rule.startsWith("opened")
              ? "A result that is now possible:"
              : "A call that was accepted:"}
          </p>
          <Code text={breaks.text} label={`What breaks of ${name}`} />
          <ul className="text-[0.8125rem] text-bad">
            {breaks.issues.map((issue) => (
              <li key={issue}>
                <ExternalText text={issue} />
              </li>
            ))}
          </ul>
        </>
      )}
      {diff !== "" && <Diff text={diff} label={`Changes of ${name} ${path}`} />}
    </li>
  );
}

/** Compares two lists of tools, and shows calls that the change would break. */
export function CompareView({ checker, state, change, toolsField }: ViewProps): ReactElement {
  const { tools, next } = state;
  const question = useMemo(() => ({ tools, next }), [tools, next]);
  const answer = useAnswer(checker, "compare", question);
  return (
    <div className="grid gap-6 lg:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-4">
        {toolsField}
        <TextArea
          label="After"
          hint="The list that the server declares now."
          value={next}
          rows={14}
          onChange={(text) => change({ next: text })}
        />
      </div>
      <AnswerFrame answer={answer}>
        {({ names, counts, changes, notes }) => (
          <>
            <Notes notes={notes} />
            <Card title="Changes" hint="lock --check, of the tools">
              <div className="mb-3 flex flex-wrap gap-2">
                {CLASSES.map((kind) => (
                  <Badge key={kind} tone={(counts[kind] ?? 0) > 0 ? TONES[kind] : "plain"}>
                    {counts[kind] ?? 0} {kind}
                  </Badge>
                ))}
              </div>
              {changes.items.length === 0 && (
                <p className="text-soft">The lists have the same tools: {names.length} compared.</p>
              )}
              <ul aria-label="Changes" className="flex flex-col gap-4">
                {changes.items.map((each, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: two changes may be alike
                  <ChangeItem key={index} change={each} />
                ))}
              </ul>
              <More count={changes.more} />
            </Card>
          </>
        )}
      </AnswerFrame>
    </div>
  );
}
