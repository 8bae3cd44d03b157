import { issueClause } from "@touchstone/core";
import { type ReactElement, useMemo, useSyncExternalStore } from "react";
import type { Api } from "../api/client.ts";
import { curlCommand } from "../call/curl.ts";
import type { RunState, Runs } from "../call/runs.ts";
import { Folded } from "../page/folded.tsx";
import { Notice } from "../page/notice.tsx";
import { Shown } from "../page/shown.tsx";
import { Code } from "../ui/code.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { foundIn, unmeantIn } from "../verdict/unmeant.ts";
import { CallAnswer } from "./call-answer.tsx";
import type { ToolDetail, ToolSchema } from "./detail.ts";
import { AllowExecution } from "./refusal.tsx";
import { readServerVerdict } from "./server-verdict.ts";
import { Unmeant } from "./unmeant.tsx";

interface Props {
  readonly api: Api;
  readonly runs: Runs;
  readonly detail: ToolDetail;
  readonly text: string;
  readonly allowExecute: boolean;
  readonly authorization: string | undefined;
  /** The arguments are sent as they are. */
  readonly onSend: () => void;
}

function Validated({
  answer,
  sent,
  input,
  isCurrent,
}: {
  readonly answer: NonNullable<RunState["answer"]>;
  readonly sent: string;
  readonly input: ToolSchema;
  /** Whether the arguments are still those that were sent, so that what is wrong with them is listed above. */
  readonly isCurrent: boolean;
}): ReactElement {
  const said = useMemo(() => readServerVerdict(answer, sent), [answer, sent]);
  const isUnmeant = useMemo(() => unmeantIn(input.compiled, sent), [input, sent]);
  const isListed = useMemo(
    () => (isCurrent ? foundIn(input.compiled, sent) : () => false),
    [input, sent, isCurrent],
  );
  if (said.kind === "valid") {
    return <Notice kind="good">The server finds these arguments valid. Nothing was run.</Notice>;
  }
  if (said.kind === "none") {
    return (
      <Notice kind="warning">
        The server gave no verdict. <Shown text={said.message} />
      </Notice>
    );
  }
  const errors = said.errors.filter((error) => !isUnmeant(error));
  if (said.more === 0 && errors.every((error) => error.place === undefined && isListed(error))) {
    return (
      <Notice kind="bad">
        The server finds these arguments invalid for the reasons above. Nothing was run.
      </Notice>
    );
  }
  return (
    <Notice kind="bad">
      The server finds these arguments invalid. Nothing was run.
      <Folded
        className="errors"
        items={[
          ...errors.map((error, index) => {
            const { subject, predicate } = issueClause({ ...error, rule: "value" });
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: two errors may be alike; the list is made anew
              <li key={index}>
                <code>
                  <Shown text={error.place ?? subject} />
                </code>{" "}
                <Shown text={predicate} />
              </li>
            );
          }),
          ...(said.more > 0 ? [<li key="more">and {said.more} more</li>] : []),
        ]}
      />
      <Unmeant count={said.errors.length - errors.length} />
    </Notice>
  );
}

function Outcome({
  state,
  text,
  detail,
}: {
  readonly state: RunState;
  /** The arguments as they stand now. */
  readonly text: string;
  readonly detail: ToolDetail;
}): ReactElement | null {
  const { kind, isRunning, sent, answer, error } = state;
  if (isRunning) return <p role="status">{kind === "call" ? "Running …" : "Validating …"}</p>;
  if (error !== undefined) {
    return (
      <Notice kind="bad">
        <Shown text={error} />
      </Notice>
    );
  }
  if (answer === undefined) return null;
  return (
    <>
      {text !== sent && <p className="hint">The arguments were changed since.</p>}
      {kind === "call" ? (
        <CallAnswer answer={answer} sent={sent} output={detail.output} />
      ) : (
        <Validated answer={answer} sent={sent} input={detail.input} isCurrent={text === sent} />
      )}
    </>
  );
}

/** Validates and runs, shows what came of it, and gives the command that does the same. */
export function Run(props: Props): ReactElement {
  const { api, runs, detail, text, allowExecute, authorization, onSend } = props;
  const { name } = detail.summary;
  const state = useSyncExternalStore(runs.subscribe, () => runs.get(name));
  const sending = (signal: AbortSignal) => ({ signal, authorization });
  const url = api.callUrl(name);
  const command = curlCommand({ url, body: text, authorization });
  return (
    <section className="run" aria-label="Run">
      <div className="buttons">
        <button
          type="button"
          onClick={() => {
            onSend();
            void runs.start(name, "validate", text, (signal) =>
              api.validate(name, text, sending(signal)),
            );
          }}
        >
          Validate
        </button>
        <button
          type="button"
          className="main"
          disabled={!allowExecute}
          aria-describedby={allowExecute ? undefined : "execution-off"}
          onClick={() => {
            onSend();
            void runs.start(name, "call", text, (signal) => api.call(name, text, sending(signal)));
          }}
        >
          Execute
        </button>
        {state.isRunning && (
          <button type="button" onClick={() => runs.stop(name)}>
            Cancel
          </button>
        )}
      </div>
      {!allowExecute && (
        <details className="off" id="execution-off">
          <summary>Execution is disabled on this server. How to enable it</summary>
          <AllowExecution />
        </details>
      )}
      <div className="outcome" aria-live="polite">
        <Outcome state={state} text={text} detail={detail} />
      </div>
      <details>
        <summary>cURL</summary>
        <Code label="cURL command" text={command} />
        <CopyButton text={command} what="cURL" />
      </details>
    </section>
  );
}
