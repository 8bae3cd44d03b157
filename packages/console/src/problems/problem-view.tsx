import type { Problem } from "@touchstone/gateway/api";
import { BellOff, CheckCheck, ClipboardList, List, ShieldCheck } from "lucide-react";
import { type ReactElement, type ReactNode, useCallback, useState } from "react";
import { usePermission } from "../access/rights.ts";
import { writeFilters } from "../activity/filter.ts";
import { type GatewayApi, messageOf } from "../api/gateway.ts";
import { type EditAction, EditDialog } from "../page/edit-dialog.tsx";
import { Failure } from "../page/failure.tsx";
import { PageHeader, ReloadButton } from "../page/header.tsx";
import { Loading } from "../page/loading.tsx";
import { OpenedHeading } from "../page/opened-heading.tsx";
import { hashOf, serverToolHash } from "../page/route.ts";
import { TimeText } from "../page/time-text.tsx";
import { AUTO_REFRESH_MS, useLoaded } from "../page/use-loaded.ts";
import { StateBadge } from "../ui/badge.tsx";
import { Button, ButtonLink, LINK_CLASS } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { copyText } from "../ui/copy.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { showToast } from "../ui/toast.ts";
import { authorText } from "./author-text.ts";
import { IgnoreDialog } from "./ignore-dialog.tsx";
import { callersText, editsOf, PARTS, stateText } from "./problem.ts";
import { Sparkline } from "./sparkline.tsx";

async function copyForAuthor(api: GatewayApi, problem: Problem): Promise<void> {
  const { server } = problem;
  // This gateway does not know a server that a client runs through `wrap`; the text then has only its name.
  const known =
    server === null ? undefined : await api.get("getServer", { server }).catch(() => undefined);
  await copyText(authorText(problem, known), "the text");
}

/** Shows what can be done about a problem. */
function Actions({
  api,
  problem,
  onChanged,
}: {
  readonly api: GatewayApi;
  readonly problem: Problem;
  readonly onChanged: () => void;
}): ReactElement {
  const [edit, setEdit] = useState<{ readonly title: string; readonly action: EditAction }>();
  const [isIgnoring, setIsIgnoring] = useState(false);
  const mayEdit = usePermission("editConfig");
  const mayIgnore = usePermission("ignoreProblem");
  const may = usePermission("unignoreProblem");
  const { allow, strict } = editsOf(problem);
  const show = async (): Promise<void> => {
    try {
      await api.remove("unignoreProblem", { id: problem.id });
      showToast({ title: "No longer ignored" });
      onChanged();
    } catch (thrown) {
      showToast({ kind: "bad", title: "Could not change it", text: messageOf(thrown) });
    }
  };
  const edits = [
    ["Allow this", "Allow this problem", <CheckCheck key="icon" aria-hidden="true" />, allow],
    [
      "Make this tool strict",
      "Make this tool strict",
      <ShieldCheck key="icon" aria-hidden="true" />,
      strict,
    ],
  ] as const;
  return (
    <div className="mb-3 flex flex-wrap gap-2">
      <ButtonLink
        variant="primary"
        href={hashOf("activity", "", writeFilters({ problem: problem.id }))}
      >
        <List aria-hidden="true" />
        Show its calls
      </ButtonLink>
      {edits.map(
        ([label, title, icon, action]) =>
          action !== undefined && (
            <Button
              key={label}
              disabled={!mayEdit.isOffered}
              title={mayEdit.reason}
              onClick={() => mayEdit.run(() => setEdit({ title, action }))}
            >
              {icon}
              {label}
            </Button>
          ),
      )}
      {problem.ignored === null ? (
        <Button
          disabled={!mayIgnore.isOffered}
          title={mayIgnore.reason}
          onClick={() => mayIgnore.run(() => setIsIgnoring(true))}
        >
          <BellOff aria-hidden="true" />
          Ignore
        </Button>
      ) : (
        <Button
          disabled={!may.isOffered}
          title={may.reason}
          onClick={() => may.run(() => void show())}
        >
          <BellOff aria-hidden="true" />
          Stop ignoring
        </Button>
      )}
      <Button onClick={() => void copyForAuthor(api, problem)}>
        <ClipboardList aria-hidden="true" />
        Copy for the server's author
      </Button>
      {edit !== undefined && (
        <EditDialog api={api} {...edit} onClose={() => setEdit(undefined)} onWritten={onChanged} />
      )}
      {isIgnoring && (
        <IgnoreDialog
          api={api}
          problem={problem}
          onClose={() => setIsIgnoring(false)}
          onIgnored={onChanged}
        />
      )}
    </div>
  );
}

function Facts({ problem }: { readonly problem: Problem }): ReactElement {
  const { server, tool, direction, place, rule, keyword, received, mode, callers } = problem;
  const { calls, blocked, first, last, passed_since, ignored } = problem;
  const text = (value: string): ReactElement => <ExternalText text={value} />;
  const facts: readonly (readonly [name: string, value: ReactNode])[] = [
    [
      "Tool",
      server === null ? (
        text(tool)
      ) : (
        <a key="tool" className={LINK_CLASS} href={serverToolHash(server, tool)}>
          {text(server)} / {text(tool)}
        </a>
      ),
    ],
    [
      "Place",
      <>
        {text(place === "" ? "the root" : place)} of the {PARTS[direction]}
      </>,
    ],
    ["Rule", text(keyword === null ? rule : `${rule}, keyword ${keyword}`)],
    ...(received === null ? [] : [["Received", text(`a value of type ${received}`)] as const]),
    ["Mode now", mode ?? "not known here"],
    ["Calls", `${calls.toLocaleString("en")}, ${blocked.toLocaleString("en")} of them blocked`],
    [
      "Callers",
      callers.count === 0 ? (
        "not known"
      ) : (
        <>
          {callersText(callers)}: {text(callers.names.join(", "))}
          {callers.count > callers.names.length && ", …"}
        </>
      ),
    ],
    ["First seen", <TimeText key="first" time={first} />],
    ["Last seen", <TimeText key="last" time={last} />],
    [
      "Since then",
      passed_since === 0
        ? "no call is known to have passed the check"
        : `at least ${passed_since.toLocaleString("en")} ${passed_since === 1 ? "call" : "calls"} passed the check`,
    ],
    ...(ignored === null
      ? []
      : [
          [
            "Ignored until",
            <>
              <TimeText time={ignored.until} /> by {text(ignored.by)}
              {ignored.reason !== null && <>: {text(ignored.reason)}</>}
            </>,
          ] as const,
        ]),
  ];
  return (
    <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1.5">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-soft">{name}</dt>
          <dd className="min-w-0 wrap-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Shows one problem, and what can be done about it. */
export default function ProblemView({
  api,
  id,
}: {
  readonly api: GatewayApi;
  readonly id: string;
}): ReactElement {
  const ask = useCallback(
    (signal: AbortSignal) => api.get("getProblem", { id }, signal),
    [api, id],
  );
  const [{ value, error }, reload] = useLoaded(ask, AUTO_REFRESH_MS, ["problem", id]);
  if (value === undefined) {
    return (
      <section aria-label="Problem">
        <PageHeader title="Problem" actions={<ReloadButton onClick={reload} />} />
        {error === undefined ? (
          <Loading what="the problem" />
        ) : (
          <Failure error={error} onRetry={reload} />
        )}
      </section>
    );
  }
  return (
    <section aria-label="Problem">
      <OpenedHeading page="problems" list="All problems">
        <ExternalText text={value.text} />
      </OpenedHeading>
      <p className="mb-3 flex flex-wrap items-center gap-2">
        <StateBadge state={stateText(value)} />
        <Sparkline counts={value.buckets} />
      </p>
      <Actions api={api} problem={value} onChanged={reload} />
      <Card title="What is known">
        <Facts problem={value} />
      </Card>
    </section>
  );
}
