import { issueClause } from "@touchstone/core";
import type { ReactElement } from "react";
import { Folded } from "../page/folded.tsx";
import { Notice, type NoticeKind } from "../page/notice.tsx";
import { Shown } from "../page/shown.tsx";
import type { Finding, Verdict } from "../verdict/verdict.ts";
import { Unmeant } from "./unmeant.tsx";

interface Props {
  readonly verdict: Verdict;
  /** What was judged, in the plural or as a mass: `arguments`, `structured output`. */
  readonly what: string;
  /** Whether nothing was filled in yet, so that what is invalid is still to be filled in. */
  readonly isFresh?: boolean;
  /** Leads to the place of a finding. */
  readonly onFind?: (finding: Finding) => void;
}

const HEADS: Readonly<Record<Verdict["state"], readonly [NoticeKind, (what: string) => string]>> = {
  valid: ["good", (what) => `Valid ${what}`],
  invalid: ["bad", (what) => `Invalid ${what}`],
  unreadable: ["bad", () => "Not JSON"],
  unchecked: ["warning", () => "Not checked"],
  unusable: ["warning", () => "The tool's schema cannot be used, so nothing was judged"],
};

const TO_FILL_IN = ["plain", (what: string) => `The ${what} are to be filled in`] as const;

function Found({
  finding,
  onFind,
}: {
  readonly finding: Finding;
  readonly onFind: Props["onFind"];
}): ReactElement {
  const { subject, predicate } = issueClause(finding.issue);
  const { place = subject, hint } = finding;
  return (
    <li>
      {onFind === undefined ? (
        <code>
          <Shown text={place} />
        </code>
      ) : (
        <button type="button" className="link" onClick={() => onFind(finding)}>
          <Shown text={place} />
        </button>
      )}{" "}
      <Shown text={hint === undefined ? predicate : `${predicate}; ${hint}`} />
    </li>
  );
}

/** A verdict: what is wrong and where, and what would fix it. */
export function VerdictView({ verdict, what, isFresh = false, onFind }: Props): ReactElement {
  const { state, more, unmeant, warnings } = verdict;
  // Why a schema cannot be used is told of the tool; it is in no place of the value.
  const findings = state === "unusable" ? [] : verdict.findings;
  const isOpen = isFresh && state === "invalid";
  const [kind, head] = isOpen ? TO_FILL_IN : HEADS[state];
  return (
    <Notice kind={kind}>
      <p role="status" className="verdict" data-state={state}>
        {head(what)}
      </p>
      {findings.length > 0 && (
        <Folded
          className="findings"
          items={[
            ...findings.map((finding, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two findings may be alike; the list is made anew
              <Found key={index} finding={finding} onFind={onFind} />
            )),
            ...(more > 0 ? [<li key="more">and {more} more</li>] : []),
          ]}
        />
      )}
      {findings.length > 0 && <Unmeant count={unmeant} />}
      {warnings.length > 0 && (
        <>
          <p className="warnings-head">Warnings, which make nothing invalid:</p>
          <Folded
            className="warnings"
            items={warnings.map((issue) => {
              const { subject, predicate } = issueClause(issue);
              return (
                <li key={`${issue.path} ${issue.message}`}>
                  <code>
                    <Shown text={subject} />
                  </code>{" "}
                  <Shown text={predicate} />
                </li>
              );
            })}
          />
        </>
      )}
    </Notice>
  );
}
