import { issueClause } from "@touchstone/core/advanced";
import { type ReactElement, useEffect, useMemo, useState } from "react";
import { progressText } from "../api/progress.ts";
import type { Run } from "../call/runs.ts";
import { branchErrorTest, sameErrorTest } from "../check/branch-errors.ts";
import { judgeText } from "../check/check-text.ts";
import { FoldedList } from "../page/folded-list.tsx";
import { Notice } from "../page/notice.tsx";
import { durationText } from "../text/duration.ts";
import { ExternalText } from "../ui/external-text.tsx";
import { CallAnswer } from "./call-answer.tsx";
import type { ToolDetail, ToolSchema } from "./detail.ts";
import { FindingList, OmittedIssues } from "./finding-list.tsx";
import { readServerVerdict } from "./server-verdict.ts";

function Validated({
  answer,
  sent,
  input,
  isCurrent,
}: {
  readonly answer: NonNullable<Run["answer"]>;
  readonly sent: string;
  readonly input: ToolSchema;
  /** Whether the arguments are still those that were sent, so that their issues are shown above. */
  readonly isCurrent: boolean;
}): ReactElement {
  const said = useMemo(() => readServerVerdict(answer, sent), [answer, sent]);
  const isUnmeant = useMemo(() => branchErrorTest(input.compiled, sent), [input, sent]);
  const isListed = useMemo(() => sameErrorTest(input.compiled, sent), [input, sent]);
  if (said.kind === "valid") {
    return <Notice kind="good">The server finds these arguments valid. Nothing was run.</Notice>;
  }
  if (said.kind === "none") {
    return (
      <Notice kind="warning">
        The server did not check the arguments. <ExternalText text={said.message} />
      </Notice>
    );
  }
  const errors = said.errors.filter((error) => !isUnmeant(error));
  if (said.more === 0 && errors.every((error) => error.place === undefined && isListed(error))) {
    // Issues that the page finds, too, are shown in its own words, and not repeated while they are shown next to the
    // fields.
    const found = isCurrent ? undefined : judgeText(input.compiled, sent);
    return (
      <Notice kind="bad">
        <p>
          The server finds these arguments invalid
          {found === undefined ? " for the reasons above" : ""}. Nothing was run.
        </p>
        {found !== undefined && <FindingList {...found} />}
      </Notice>
    );
  }
  return (
    <Notice kind="bad">
      The server finds these arguments invalid. Nothing was run.
      <FoldedList
        className="errors text-[0.8125rem]"
        items={[
          ...errors.map((error, index) => {
            const { subject, predicate } = issueClause({ ...error, rule: "value" });
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: two errors may be alike
              <li key={index}>
                <code className="font-mono">
                  <ExternalText text={error.place ?? subject} />
                </code>{" "}
                <ExternalText text={predicate} />
              </li>
            );
          }),
          ...(said.more > 0 ? [<li key="more">and {said.more} more</li>] : []),
        ]}
      />
      <OmittedIssues count={said.errors.length - errors.length} />
    </Notice>
  );
}

const TICK_MS = 1_000;

/** Shows how long a request has been running. */
function Running({ run }: { readonly run: Run }): ReactElement {
  const [now, setNow] = useState(run.at);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const { kind, at, progress } = run;
  const seconds = Math.max(0, Math.floor((now - at) / TICK_MS));
  const told = [
    ...(seconds > 0 ? [`${seconds} s`] : []),
    ...(progress === undefined ? [] : [progressText(progress)]),
  ];
  return (
    <div className="flex flex-col gap-1">
      <p>
        <span role="status">{kind === "call" ? "Running …" : "Validating …"}</span>{" "}
        <span aria-live="off" className="text-soft tabular-nums">
          <ExternalText text={told.join(" · ")} />
        </span>
      </p>
      {kind === "call" && (
        // Has no value while the call's progress is unknown.
        <progress
          aria-label="Progress of the call"
          className="h-1.5 w-full"
          max={progress?.total ?? 1}
          value={progress?.total === undefined ? undefined : progress.progress}
        />
      )}
    </div>
  );
}

/** Shows the outcome of a request. */
export function Outcome({
  run,
  text,
  detail,
}: {
  readonly run: Run;
  /** The current arguments. */
  readonly text: string;
  readonly detail: ToolDetail;
}): ReactElement | null {
  const { kind, isRunning, sent, answer, error } = run;
  if (isRunning) return <Running run={run} />;
  if (error !== undefined) {
    return (
      <Notice kind="bad">
        <ExternalText text={error} />
      </Notice>
    );
  }
  if (answer === undefined) return null;
  return (
    <>
      {text !== sent && (
        <p className="text-[0.8125rem] text-soft">The arguments have changed since.</p>
      )}
      {kind === "call" ? (
        <CallAnswer answer={answer} sent={sent} output={detail.output} />
      ) : (
        <Validated answer={answer} sent={sent} input={detail.input} isCurrent={text === sent} />
      )}
    </>
  );
}

/** Describes the outcome of a request in a few words. */
export function outcomeWords({ kind, isRunning, answer, error }: Run): string {
  if (isRunning) return "running";
  if (answer === undefined)
    return error?.startsWith("Canceled") === true ? "canceled" : "no answer";
  const took = durationText(answer.milliseconds);
  return kind === "call" ? `${answer.status} · ${took}` : `validated · ${took}`;
}
