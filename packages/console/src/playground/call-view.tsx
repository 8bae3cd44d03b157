import { type ReactElement, useMemo } from "react";
import { FindingList, Warnings } from "../tool/finding-list.tsx";
import { StateBadge } from "../ui/badge.tsx";
import { Card } from "../ui/card.tsx";
import { Code } from "../ui/code.tsx";
import { Diff } from "../ui/diff.tsx";
import { AnswerFrame, Notes } from "./answer-frame.tsx";
import { Choice } from "./choice.tsx";
import type { Answers } from "./question.ts";
import { TextArea } from "./text-area.tsx";
import { useAnswer } from "./use-answer.ts";
import type { ViewProps } from "./view-props.ts";

type State = Answers["call"]["check"]["state"];

const BADGES: Readonly<Record<State, string>> = {
  valid: "allowed",
  invalid: "blocked",
  unreadable: "error",
  unusable: "warning",
  unchecked: "warning",
};
const SAID: Readonly<Record<State, string>> = {
  valid: "The arguments match the tool's input schema.",
  invalid: "The arguments do not match the tool's input schema.",
  unreadable: "The arguments are not JSON, so no client can send them.",
  unusable: "The tool's input schema cannot be used, so nothing was checked.",
  unchecked: "The check ended without a result.",
};

function RepairCard({ repair }: { readonly repair: Answers["call"]["repair"] }): ReactElement {
  if (repair === undefined) {
    return (
      <Card title="Repair">
        <p className="text-soft">No repair makes these arguments valid.</p>
      </Card>
    );
  }
  const isSafe = repair.kinds === "safe";
  return (
    <Card
      title="Repair"
      hint={
        isSafe
          ? "The safe repairs make the arguments valid: they change how values are written."
          : "The arguments are valid only with all repairs, some of which guess what was meant."
      }
    >
      <ul className="mb-2 flex flex-col gap-1 font-mono text-[0.8125rem]">
        {repair.steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ul>
      <Diff text={repair.diff} label="Repaired arguments" />
    </Card>
  );
}

/** Checks the arguments of a call, as a gateway would. */
export function CallView({ checker, state, change, toolsField }: ViewProps): ReactElement {
  const { tools, tool, args } = state;
  const question = useMemo(() => ({ tools, tool, args }), [tools, tool, args]);
  const answer = useAnswer(checker, "call", question);
  const names = answer.reply?.ok === true ? answer.reply.names : [];
  return (
    <div className="grid gap-6 lg:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-4">
        {toolsField}
        {names.length > 1 && (
          <Choice
            label="Tool"
            value={String(Math.min(tool, names.length - 1))}
            choices={names.map((name, index) => ({ value: String(index), label: name }))}
            onChange={(value) => change({ tool: Number(value) })}
          />
        )}
        <TextArea
          label="Arguments"
          value={args}
          rows={8}
          onChange={(text) => change({ args: text })}
        />
      </div>
      <AnswerFrame answer={answer}>
        {({ check, agentText, repair, notes }) => (
          <>
            <Notes notes={notes} />
            <Card title="Check">
              <div className="flex flex-wrap items-center gap-2">
                <StateBadge state={BADGES[check.state]} />
                <span>{SAID[check.state]}</span>
              </div>
              <FindingList findings={check.findings} more={check.more} unmeant={check.unmeant} />
              <Warnings warnings={check.warnings} />
            </Card>
            {agentText !== undefined && (
              <Card
                title="What the agent reads"
                hint={
                  check.state === "unusable"
                    ? "The result of the call if on_invalid_schema is block, in strict mode."
                    : "The result of the call that the gateway returns in strict mode."
                }
              >
                <Code text={agentText} label="Text of the result" />
              </Card>
            )}
            {check.state === "invalid" && <RepairCard repair={repair} />}
          </>
        )}
      </AnswerFrame>
    </div>
  );
}
