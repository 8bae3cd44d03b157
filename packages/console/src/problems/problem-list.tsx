import type { Problem, ProblemPage } from "@touchstone/gateway/api";
import type { ReactElement } from "react";
import { hashOf } from "../page/route.ts";
import { TimeText } from "../page/time-text.tsx";
import { StateBadge } from "../ui/badge.tsx";
import { LINK_CLASS } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { cx } from "../ui/classes.ts";
import { ExternalText } from "../ui/external-text.tsx";
import { LIST, ROW, useOpenedRow } from "../ui/list-keys.ts";
import { callersText, PARTS, type ShownState, STATES, shownState, stateText } from "./problem.ts";
import { Sparkline } from "./sparkline.tsx";

const number = (value: number): string => value.toLocaleString("en");

function countOf({ states }: ProblemPage, state: ShownState): number {
  if (state !== "all") return states[state];
  return states.open + states.not_seen + states.ignored + states.allowed;
}

/** Links to the problems of each state, with their number. */
function StateLinks({
  page,
  state,
  hrefOf,
}: {
  readonly page: ProblemPage;
  readonly state: ShownState;
  readonly hrefOf: (state: ShownState) => string;
}): ReactElement {
  return (
    <nav aria-label="States of problems" className="flex flex-wrap gap-1">
      {STATES.map(([each, label]) => (
        <a
          key={each}
          href={hrefOf(each)}
          aria-current={each === state ? "true" : undefined}
          className={cx(
            "rounded-md px-2 py-1 hover:bg-hover",
            each === state ? "bg-accent-soft font-medium text-accent" : "text-soft",
          )}
        >
          {label} <span className="tabular-nums">{number(countOf(page, each))}</span>
        </a>
      ))}
    </nav>
  );
}

function Row({
  problem,
  href,
}: {
  readonly problem: Problem;
  readonly href: string;
}): ReactElement {
  const { server, tool, direction, text, calls, blocked, callers, last, first, buckets } = problem;
  return (
    <tr className="border-t border-line">
      <th scope="row" className="max-w-md min-w-0 px-4 py-2 text-start font-normal wrap-anywhere">
        <a {...ROW} className={cx(LINK_CLASS, "font-medium")} href={href}>
          <ExternalText text={text} />
        </a>
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1 text-soft">
          {problem.state !== "open" && <StateBadge state={stateText(problem)} />}
          <span className="line-clamp-2">
            <ExternalText text={server ?? "–"} /> / <ExternalText text={tool} />, {PARTS[direction]}
          </span>
        </span>
      </th>
      <td className="px-2 py-2 max-md:hidden">
        <Sparkline counts={buckets} />
      </td>
      <td className="px-2 py-2 text-end tabular-nums">
        {number(calls)}
        {blocked > 0 && <span className="block text-xs text-bad">{number(blocked)} blocked</span>}
      </td>
      <td className="px-2 py-2 text-end tabular-nums max-sm:hidden">{callersText(callers)}</td>
      <td className="px-4 py-2 text-end text-soft max-sm:hidden">
        <TimeText time={last} />
        <span className="block text-xs">
          since <TimeText time={first} />
        </span>
      </td>
    </tr>
  );
}

const HEADS: readonly (readonly [title: string, style: string])[] = [
  ["Problem", "px-4 text-start"],
  ["Trend", "px-2 text-start max-md:hidden"],
  ["Calls", "px-2 text-end"],
  ["Callers", "px-2 text-end max-sm:hidden"],
  ["Last seen", "px-4 text-end max-sm:hidden"],
];

const EMPTY: Readonly<Record<ShownState, string>> = {
  open: "No open problem is recorded in this period.",
  not_seen: "No problem of this period has disappeared from later calls.",
  ignored: "No problem of this period is ignored.",
  allowed: "No problem of this period is allowed by a rule.",
  all: "No problem is recorded in this period.",
};

/** Reports how many problems the list omits. */
function Rest({ page }: { readonly page: ProblemPage }): ReactElement | null {
  const { total, problems, others, not_counted: waiting } = page;
  const left = total - problems.length;
  const texts = [
    ...(left > 0 ? [`and ${number(left)} more: touchstone activity problems lists them all`] : []),
    ...(others > 0
      ? [
          `and ${number(others)} ${others === 1 ? "call" : "calls"} with other issues that are not grouped: there was no room for more, or their records do not name these issues`,
        ]
      : []),
    ...(waiting > 0 ? [`${number(waiting)} records are not counted yet`] : []),
  ];
  if (texts.length === 0) return null;
  return (
    <div className="border-t border-line px-4 py-2 text-soft">
      {texts.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </div>
  );
}

function Table({
  problems,
  query,
}: {
  readonly problems: readonly Problem[];
  readonly query: string;
}): ReactElement {
  const list = useOpenedRow<HTMLTableSectionElement>();
  return (
    <section
      className="relative overflow-x-auto scroll-thin"
      aria-label="List of problems"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: without focus it cannot be scrolled with a keyboard
      tabIndex={0}
    >
      <table className="w-full border-collapse">
        <thead className="wrap-normal text-xs text-soft">
          <tr>
            {HEADS.map(([title, style]) => (
              <th key={title} scope="col" className={cx("py-1.5 font-medium", style)}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={list} {...LIST}>
          {problems.map((problem) => (
            <Row key={problem.id} problem={problem} href={hashOf("problems", problem.id, query)} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Lists what was wrong with calls of a time range, open problems first. */
export function ProblemList({
  page,
  query,
}: {
  readonly page: ProblemPage;
  /** The parameters of the address. */
  readonly query: string;
}): ReactElement {
  const state = shownState(query);
  const withState = (each: ShownState): string => {
    const parameters = new URLSearchParams(query);
    parameters.set("state", each);
    return parameters.toString();
  };
  return (
    <Card
      title="Problems"
      className="mb-3"
      flush
      actions={
        <StateLinks
          page={page}
          state={state}
          hrefOf={(each) => hashOf("problems", "", withState(each))}
        />
      }
    >
      {page.problems.length === 0 && <p className="px-4 py-3 text-soft">{EMPTY[state]}</p>}
      {page.problems.length > 0 && <Table problems={page.problems} query={query} />}
      <Rest page={page} />
    </Card>
  );
}
