import {
  type ReactElement,
  useCallback,
  useDeferredValue,
  useEffect,
  useMemo,
  useState,
} from "react";
import type { Api } from "../api/client.ts";
import type { Drafts } from "../call/drafts.ts";
import type { Runs } from "../call/runs.ts";
import { useChoices } from "../form/choices.ts";
import type { Edit } from "../form/context.ts";
import { printTree, readTree } from "../json/tree.ts";
import { useOpenedHeading } from "../page/opened-heading.ts";
import { Shown } from "../page/shown.tsx";
import { Badges } from "../tools/badges.tsx";
import { judgeText } from "../verdict/verdict.ts";
import { Arguments } from "./arguments.tsx";
import type { ToolDetail } from "./detail.ts";
import { Run } from "./run.tsx";
import { SchemaFaults, Schemas } from "./schemas.tsx";

interface Props {
  readonly api: Api;
  readonly drafts: Drafts;
  readonly runs: Runs;
  readonly detail: ToolDetail;
  readonly allowExecute: boolean;
  readonly authorization: string | undefined;
}

/** One tool: what it is, its arguments with the verdict on them, and what comes of running it. */
export function ToolView(props: Props): ReactElement {
  const { api, drafts, runs, detail, allowExecute, authorization } = props;
  const { summary, input } = detail;
  // The one value: whatever shows or changes the arguments works on this text.
  const [text, setText] = useState(() => drafts.get(summary.name) ?? detail.prefill);
  useEffect(() => {
    if (text === detail.prefill) drafts.delete(summary.name);
    else drafts.set(summary.name, text, input.text);
  }, [text, drafts, detail, summary, input]);
  const [starts, setStarts] = useState(0);
  const judged = useDeferredValue(text);
  const [chosen, onChoice] = useChoices();
  const verdict = useMemo(() => judgeText(input.compiled, judged, chosen), [input, judged, chosen]);
  // What nobody has begun to fill in is not wrong yet, unless it was sent like that.
  const [isSent, setIsSent] = useState(false);
  const isFresh = judged === detail.prefill && !isSent;
  const edit = useCallback((change: Edit): void => {
    setText((old) => {
      const read = readTree(old);
      return read.ok ? printTree(change(read.tree)) : old;
    });
  }, []);
  const heading = useOpenedHeading();
  return (
    <>
      <header className="tool-head">
        <h2 ref={heading} tabIndex={-1}>
          <code>
            <Shown text={summary.name} />
          </code>{" "}
          {summary.title !== undefined && <Shown text={summary.title} />}
        </h2>
        <Badges tool={summary} />
        <p className="description">
          <Shown text={summary.description} />
        </p>
        <SchemaFaults detail={detail} />
      </header>
      <Arguments
        starts={starts}
        schema={input.text}
        text={text}
        verdict={verdict}
        isFresh={isFresh}
        onText={setText}
        onEdit={edit}
        onChoice={onChoice}
        onReset={() => {
          setText(detail.prefill);
          setStarts(starts + 1);
          setIsSent(false);
        }}
      />
      <Run
        api={api}
        runs={runs}
        detail={detail}
        text={text}
        allowExecute={allowExecute}
        authorization={authorization}
        onSend={() => setIsSent(true)}
      />
      <Schemas detail={detail} />
    </>
  );
}
