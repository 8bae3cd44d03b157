import { type Issue, issueClause } from "@touchstone/core/advanced";
import type { ReactElement } from "react";
import type { Finding } from "../check/check-text.ts";
import { FoldedList } from "../page/folded-list.tsx";
import { LINK_CLASS } from "../ui/button.tsx";
import { ExternalText } from "../ui/external-text.tsx";

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
          <ExternalText text={place} />
        </code>
      ) : (
        <button type="button" className={`${LINK_CLASS} font-mono`} onClick={() => onFind(finding)}>
          <ExternalText text={place} />
        </button>
      )}{" "}
      <ExternalText text={hint === undefined ? predicate : `${predicate}; ${hint}`} />
    </li>
  );
}

/** Shows how many issues a list omits because they belong to union branches that were not meant. */
export function OmittedIssues({ count }: { readonly count: number }): ReactElement | null {
  if (count === 0) return null;
  return (
    <p className="text-[0.8125rem] text-soft">
      Not listed: {count === 1 ? "1 issue" : `${count} issues`} in alternatives that match the value
      less closely.
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
      <FoldedList
        className={`findings ${LIST}`}
        items={[
          ...findings.map((finding, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two findings may be alike
            <Found key={index} finding={finding} onFind={onFind} />
          )),
          ...(more > 0 ? [<li key="more">and {more} more</li>] : []),
        ]}
      />
      <OmittedIssues count={unmeant} />
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
        Warnings (the value is still valid):
      </p>
      <FoldedList
        className={`warnings ${LIST}`}
        items={warnings.map((issue) => {
          const { subject, predicate } = issueClause(issue);
          return (
            <li key={`${issue.path} ${issue.message}`}>
              <code className="font-mono">
                <ExternalText text={subject} />
              </code>{" "}
              <ExternalText text={predicate} />
            </li>
          );
        })}
      />
    </div>
  );
}
