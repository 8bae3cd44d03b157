import type { Call, DriftReport, ResponseOf } from "@touchstone/gateway/api";
import { CircleCheck, Waves } from "lucide-react";
import { type ReactElement, useCallback } from "react";
import { CallExamples } from "../activity/call-examples.tsx";
import { writeFilters } from "../activity/filter.ts";
import type { GatewayApi } from "../api/gateway.ts";
import { printTree, readTree } from "../json/tree.ts";
import { Failure } from "../page/failure.tsx";
import { PageHeader, ReloadButton } from "../page/header.tsx";
import { Loading } from "../page/loading.tsx";
import { OpenedHeading } from "../page/opened-heading.tsx";
import type { PageProps } from "../page/page-props.ts";
import { hashOf, serverToolHash } from "../page/route.ts";
import { TimeText } from "../page/time-text.tsx";
import { useLoaded } from "../page/use-loaded.ts";
import { lineDiff } from "../text/line-diff.ts";
import { ButtonLink } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { Code } from "../ui/code.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { Diff } from "../ui/diff.tsx";
import { EmptyState } from "../ui/empty.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { LIST, ROW, useOpenedRow } from "../ui/list-keys.ts";
import { differencesFirst, driftSentence, uncertaintyText } from "./drift.ts";

const EXAMPLES = "5";

/** Returns the address of a tool's drift. */
export function driftHash({
  server,
  tool,
}: {
  readonly server: string;
  readonly tool: string;
}): string {
  return hashOf("drift", "", { server, tool });
}

const number = (count: number): string => count.toLocaleString("en");

function ToolRow({
  found,
}: {
  readonly found: ResponseOf<"listDrift">["tools"][number];
}): ReactElement {
  const { server, tool, results, findings, until } = found;
  return (
    <li className="min-w-0">
      <a
        {...ROW}
        href={driftHash(found)}
        className="grid grid-cols-[minmax(0,1fr)_9rem_8rem_9rem] items-center gap-x-4 gap-y-1 rounded-lg border border-line bg-surface px-4 py-2 hover:border-edge hover:bg-hover max-md:grid-cols-2"
      >
        <span className="min-w-0 font-medium wrap-anywhere max-md:col-span-2">
          <ExternalText text={server} /> / <ExternalText text={tool} />
        </span>
        {findings === 0 ? (
          <span className="inline-flex items-center gap-1 text-good">
            <CircleCheck className="size-4" aria-hidden="true" />
            no difference
          </span>
        ) : (
          <span className="font-medium text-warn">
            {number(findings)} {findings === 1 ? "difference" : "differences"}
          </span>
        )}
        <span className="text-soft tabular-nums md:text-end">
          {number(results)} {results === 1 ? "result" : "results"}
        </span>
        <span className="text-soft max-md:hidden">
          <TimeText time={until} />
        </span>
      </a>
    </li>
  );
}

type Drift = ResponseOf<"listDrift">["tools"][number];

const isSame = ({ findings }: Drift): boolean => findings === 0;

function ToolRows({ tools }: { readonly tools: readonly Drift[] }): ReactElement {
  const list = useOpenedRow<HTMLUListElement>();
  return (
    <ul ref={list} {...LIST} className="flex flex-col gap-1.5">
      {tools.map((found) => (
        <ToolRow key={`${found.server}:${found.tool}`} found={found} />
      ))}
    </ul>
  );
}

/** Lists tools whose compared results showed no difference: the page itself shows the tools with differences. */
function SameTools({ tools }: { readonly tools: readonly Drift[] }): ReactElement | null {
  if (tools.length === 0) return null;
  const results = tools.reduce((sum, tool) => sum + tool.results, 0);
  return (
    <details className="mt-3">
      <summary className="cursor-pointer px-1 py-1.5 font-medium">
        {number(tools.length)} {tools.length === 1 ? "tool" : "tools"} without difference, in{" "}
        {number(results)} {results === 1 ? "result" : "results"}
      </summary>
      <ToolRows tools={tools} />
    </details>
  );
}

function DriftList({ api }: { readonly api: GatewayApi }): ReactElement {
  const ask = useCallback(
    async (signal: AbortSignal) => {
      const [{ tools }, { activity }] = await Promise.all([
        api.get("listDrift", {}, signal),
        api.get("getSettings", {}, signal),
      ]);
      return { tools, isOn: activity["drift"] === true };
    },
    [api],
  );
  const [{ value, error }, reload] = useLoaded(ask);
  return (
    <section aria-label="Drift">
      <PageHeader
        title="Drift"
        hint="How results differ from the output schemas that tools declare."
        actions={<ReloadButton onClick={reload} />}
      />
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {value === undefined && error === undefined && <Loading what="drift" />}
      {value !== undefined && value.tools.length === 0 && (
        <EmptyState
          icon={Waves}
          title={value.isOn ? "No results were compared yet." : "Results are not compared."}
        >
          <p className="text-soft">
            {value.isOn
              ? "Tools with an output schema appear here 2 seconds after their first result."
              : "Turn on “Watch results for drift” to learn how results differ from their schemas."}
          </p>
          {!value.isOn && (
            <ButtonLink variant="primary" href={hashOf("settings")}>
              Open Settings
            </ButtonLink>
          )}
        </EmptyState>
      )}
      {value !== undefined && <ToolRows tools={differencesFirst(value.tools)} />}
      {value !== undefined && <SameTools tools={value.tools.filter(isSame)} />}
    </section>
  );
}

interface Found {
  readonly drift: DriftReport;
  /** The currently declared output schema; null if unknown. */
  readonly declared: string | null;
  readonly examples: readonly Call[];
}

/** Returns the output schema of a tool as JSON text, with exact numbers. */
async function declaredBy(
  api: GatewayApi,
  { server, tool }: Names,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    const read = readTree(await api.describeTool(server, tool, signal));
    if (!read.ok || read.tree.kind !== "object") return null;
    const member = read.tree.members.find(({ name }) => name === "outputSchema");
    return member === undefined ? null : printTree(member.value);
  } catch {
    // This gateway does not serve a server that a client runs through `wrap`.
    return null;
  }
}

interface Names {
  readonly server: string;
  readonly tool: string;
}

async function load(api: GatewayApi, names: Names, signal: AbortSignal): Promise<Found> {
  const { server, tool } = names;
  const examples = {
    ...{ server, tool, direction: "output", status: "warning,blocked,error" },
    limit: EXAMPLES,
  };
  const [drift, { calls }, declared] = await Promise.all([
    api.get("getDrift", { server, tool }, signal),
    api.get("listCalls", examples, signal),
    declaredBy(api, names, signal),
  ]);
  return { drift, declared, examples: calls };
}

function Findings({ drift }: { readonly drift: DriftReport }): ReactElement {
  const { results, refused, findings, partial } = drift;
  const hint = `${number(results)} ${results === 1 ? "result" : "results"}, of which the schema refused ${number(refused)}`;
  return (
    <Card title="Differences" hint={hint}>
      {findings.length === 0 && <p>No difference was found.</p>}
      <ul className="flex flex-col gap-1.5">
        {findings.map((finding) => (
          <li key={`${finding.path} ${driftSentence(finding)}`} className="min-w-0 wrap-anywhere">
            <code className="font-mono text-[0.8125rem]">
              <ExternalText text={finding.path === "" ? "(the result)" : finding.path} />
            </code>{" "}
            <ExternalText text={driftSentence(finding)} />
          </li>
        ))}
      </ul>
      {partial && (
        <p className="mt-2 text-soft">
          Branches, conditions and patterns of the schema were not compared.
        </p>
      )}
    </Card>
  );
}

function Proposal({ found }: { readonly found: Found }): ReactElement | null {
  const { drift, declared } = found;
  const { proposed_fits: fits, findings } = drift;
  if (findings.length === 0) return null;
  const proposed = JSON.stringify(drift.proposed, null, 2);
  const unsure = uncertaintyText(drift);
  const diff = declared === null ? "" : lineDiff(declared, proposed);
  const hint = fits
    ? "It accepts all results so far."
    : unsure.length === 0
      ? "It fits better, but still refuses some of these results."
      : `It is unknown whether it accepts ${unsure.join("; ")}.`;
  return (
    <Card
      title="A schema that fits"
      hint={hint}
      actions={<CopyButton text={proposed} what="schema" />}
    >
      {diff === "" ? (
        <Code label="A schema that fits" text={proposed} />
      ) : (
        <Diff label="From the declared schema to one that fits" text={diff} />
      )}
    </Card>
  );
}

function Examples({ found }: { readonly found: Found }): ReactElement {
  const { examples, drift } = found;
  const { server, tool } = drift;
  const query = writeFilters({ server, tool, direction: "output" });
  return (
    <Card title="Examples">
      {examples.length === 0 && <p className="text-soft">No recorded result breaks the schema.</p>}
      <CallExamples calls={examples} query={query} />
    </Card>
  );
}

function ToolDrift({ api, server, tool }: Names & { readonly api: GatewayApi }): ReactElement {
  const ask = useCallback(
    (signal: AbortSignal) => load(api, { server, tool }, signal),
    [api, server, tool],
  );
  const [{ value, error }, reload] = useLoaded(ask);
  return (
    <section aria-label="Drift of a tool">
      <OpenedHeading page="drift" list="All tools">
        <ExternalText text={server} /> / <ExternalText text={tool} />
      </OpenedHeading>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <ReloadButton onClick={reload} />
        <ButtonLink href={api.address(serverToolHash(server, tool))}>Open the tool</ButtonLink>
        <ButtonLink href={hashOf("activity", "", writeFilters({ server, tool }))}>
          Activity
        </ButtonLink>
        {value !== undefined && (
          <span className="text-soft">
            <TimeText time={value.drift.since} /> to <TimeText time={value.drift.until} />
          </span>
        )}
      </div>
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {value === undefined && error === undefined && <Loading what="drift" />}
      {value !== undefined && (
        <div className="grid grid-cols-1 items-start gap-3 xl:grid-cols-2">
          <div className="grid min-w-0 gap-3">
            <Findings drift={value.drift} />
            <Examples found={value} />
          </div>
          <Proposal found={value} />
        </div>
      )}
    </section>
  );
}

/** Shows how results differ from what tools declare, for all tools or the one in the address. */
export default function DriftPage({ api, query }: PageProps): ReactElement {
  const given = new URLSearchParams(query);
  const [server, tool] = [given.get("server") ?? "", given.get("tool") ?? ""];
  return server === "" || tool === "" ? (
    <DriftList api={api} />
  ) : (
    <ToolDrift key={JSON.stringify([server, tool])} api={api} server={server} tool={tool} />
  );
}
