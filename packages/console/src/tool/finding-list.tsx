import { type Issue, issueClause } from "@touchstone/core";
import type { ReactElement } from "react";
import { Folded } from "../page/folded.tsx";
import { LINK } from "../ui/button.tsx";
import { Shown } from "../ui/shown.tsx";
import type { Finding } from "../verdict/verdict.ts";

const LIST = "flex flex-col gap-1 text-[0.8125rem]";

function Found({
  finding,
  onFind,
}: {
  readonly finding: Finding;
  readonly onFind: ((finding: Finding) => void) | undefined;
}): ReactElement {
  const { subject, predicate, place = subject, hint } = finding;
  return (
    <li>
      {onFind === undefined ? (
        <code className="font-mono">
          <Shown text={place} />
        </code>
      ) : (
        <button type="button" className={`${LINK} font-mono`} onClick={() => onFind(finding)}>
          <Shown text={place} />
        </button>
      )}{" "}
      <Shown text={hint === undefined ? predicate : `${predicate}; ${hint}`} />
    </li>
  );
}

/** Shows how many issues a list omits because they belong to union branches that were not meant. */
export function Unmeant({ count }: { readonly count: number }): ReactElement | null {
  if (count === 0) return null;
  return (
    <p className="text-[0.8125rem] text-soft">
      Not listed: {count === 1 ? "1 issue" : `${count} issues`} of alternatives that the value is
      further from.
    </p>
  );
}

/** Lists the issues, with a link to each place. Shows nothing if there are none. */
export function FindingList({
  findings,
  more,
  unmeant,
  onFind,
}: {
  readonly findings: readonly Finding[];
  /** Number of further issues. */
  readonly more: number;
  readonly unmeant: number;
  readonly onFind?: (finding: Finding) => void;
}): ReactElement | null {
  if (findings.length === 0) return null;
  return (
    <div className="mt-2 text-bad">
      <Folded
        className={`findings ${LIST}`}
        items={[
          ...findings.map((finding, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two findings may be alike
            <Found key={index} finding={finding} onFind={onFind} />
          )),
          ...(more > 0 ? [<li key="more">and {more} more</li>] : []),
        ]}
      />
      <Unmeant count={unmeant} />
    </div>
  );
}

/** Lists oddities that do not make the value invalid. */
export function Warnings({
  warnings,
}: {
  readonly warnings: readonly Issue[];
}): ReactElement | null {
  if (warnings.length === 0) return null;
  return (
    <div className="mt-2 text-warn">
      <p className="warnings-head text-[0.8125rem] font-medium">
        Warnings, which make nothing invalid:
      </p>
      <Folded
        className={`warnings ${LIST}`}
        items={warnings.map((issue) => {
          const { subject, predicate } = issueClause(issue);
          return (
            <li key={`${issue.path} ${issue.message}`}>
              <code className="font-mono">
                <Shown text={subject} />
              </code>{" "}
              <Shown text={predicate} />
            </li>
          );
        })}
      />
    </div>
  );
}
