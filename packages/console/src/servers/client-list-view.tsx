import type { ClientView } from "@touchstone/gateway/api";
import { ListChecks } from "lucide-react";
import { type ReactElement, useCallback, useId, useState } from "react";
import type { GatewayApi } from "../api/gateway.ts";
import { DefinitionDiff } from "../changes/definition-diff.tsx";
import { type ClientPreview, clientPreviewHash } from "../page/client-preview.ts";
import { Failure } from "../page/failure.tsx";
import { ReloadButton } from "../page/header.tsx";
import { Loading } from "../page/loading.tsx";
import { useOpenedHeading } from "../page/opened-heading.tsx";
import { hashOf } from "../page/route.ts";
import { TimeText } from "../page/time-text.tsx";
import { useLoaded } from "../page/use-loaded.ts";
import { visible } from "../text/visible.ts";
import { Badge } from "../ui/badge.tsx";
import { Button, LINK_CLASS } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { Input } from "../ui/field.tsx";
import type { Tone } from "../ui/tones.ts";
import { clientToolState, toolCountsText } from "./client-list.ts";

type SeenTool = ClientView["tools"][number];
type SeenStep = SeenTool["steps"][number];
type SeenLeft = NonNullable<SeenTool["left"]>;

/** Maximum number of tools that are shown. */
const MAX_TOOLS = 500;
const STATES: Readonly<Record<string, readonly [tone: Tone, word: string]>> = {
  same: ["good", "the same"],
  unchecked: ["plain", "as the server wrote it"],
  changed: ["info", "changed"],
  left_out: ["warn", "left out"],
  doubtful: ["warn", "may be refused"],
  refused: ["bad", "refused"],
};
/** The sections of the configuration whose names differ from the gateway's names for its steps. */
const SECTIONS: Readonly<Record<string, string>> = { allow: "policy", advertise: "policy" };
const VERBS: Readonly<Record<string, string>> = {
  left_out: "leaves it out",
  changed: "changes it",
  noted: "would change it, but only records that",
};

/** Returns which clients' rules the tools were compared with. */
function checkedText(providers: readonly string[]): string {
  return providers.length === 0
    ? "Not compared with any client's rules: the client is unknown, and adapt.for names none."
    : `Compared with the rules of ${providers.join(", ")}.`;
}

/** Chooses who looks. */
function WhoForm({
  api,
  server,
  look,
}: {
  readonly api: GatewayApi;
  readonly server: string;
  readonly look: ClientPreview;
}): ReactElement {
  const id = useId();
  const [client, setClient] = useState(look.client);
  const [caller, setCaller] = useState(look.caller);
  const ask = useCallback((signal: AbortSignal) => api.get("listCallValues", {}, signal), [api]);
  const [{ value: known }] = useLoaded(ask, undefined, ["calls", "values"]);
  const fields = [
    ["client", "Client", client, setClient, "name/version", known?.clients],
    ["caller", "Caller", caller, setCaller, "a key's name", known?.callers],
  ] as const;
  return (
    <form
      aria-label="Who looks"
      className="mb-3 flex flex-wrap items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        location.hash = clientPreviewHash(server, {
          ...look,
          client: client.trim(),
          caller: caller.trim(),
        });
      }}
    >
      {fields.map(([name, label, value, set, placeholder, values = []]) => (
        <div key={name} className="flex min-w-0 flex-1 basis-48 flex-col gap-1 sm:max-w-72">
          <label htmlFor={`${id}-${name}`} className="text-[0.8125rem] text-soft">
            {label}
          </label>
          <Input
            id={`${id}-${name}`}
            value={value}
            placeholder={placeholder}
            list={`${id}-${name}-known`}
            onChange={(event) => set(event.target.value)}
          />
          <datalist id={`${id}-${name}-known`}>
            {values.slice(0, 100).map((one) => (
              <option key={one} value={visible(one)} />
            ))}
          </datalist>
        </div>
      ))}
      <Button type="submit">Show</Button>
    </form>
  );
}

function Step({ step: { step, kind, setting, reason } }: { readonly step: SeenStep }) {
  const section = Object.hasOwn(SECTIONS, step) ? SECTIONS[step] : step;
  return (
    <li className="wrap-anywhere">
      <code className="font-mono text-[0.8125rem]">
        <ExternalText text={setting === step ? step : `${section}.${setting}`} />
      </code>{" "}
      {Object.hasOwn(VERBS, kind) ? VERBS[kind] : <ExternalText text={kind} />}
      {reason !== "" && (
        <>
          : <ExternalText text={reason.slice(0, 2_000)} />
        </>
      )}
    </li>
  );
}

function Left({ left: { total, errors, findings } }: { readonly left: SeenLeft }): ReactElement {
  const more = total - findings.length;
  return (
    <ul aria-label="What the client objects to" className="mt-1 flex flex-col gap-0.5">
      {findings.map(({ path, message }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two findings may have one text
        <li key={at} className={`wrap-anywhere ${at < errors ? "text-bad" : "text-warn"}`}>
          <ExternalText text={`${path === "" ? "" : `${path}: `}${message}`.slice(0, 500)} />
        </li>
      ))}
      {more > 0 && <li className="text-soft">and {more.toLocaleString("en")} more</li>}
    </ul>
  );
}

function Tool({
  server,
  look,
  tool,
}: {
  readonly server: string;
  readonly look: ClientPreview;
  readonly tool: SeenTool;
}): ReactElement {
  const { name, listedAs, steps, left } = tool;
  const state = clientToolState(tool);
  const [tone, word] = (Object.hasOwn(STATES, state) ? STATES[state] : undefined) ?? [
    "plain",
    state,
  ];
  return (
    <li className="min-w-0 rounded-lg border border-line bg-surface px-4 py-2.5">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="min-w-0 wrap-anywhere">
          {name === null ? (
            "(no name that can be read)"
          ) : look.tool === "" ? (
            <a className={LINK_CLASS} href={clientPreviewHash(server, { ...look, tool: name })}>
              <ExternalText text={name} />
            </a>
          ) : (
            <ExternalText text={name} />
          )}
          {listedAs !== null && listedAs !== name && (
            <>
              {" → "}
              <ExternalText text={listedAs} />
            </>
          )}
        </span>
        <Badge tone={tone}>
          <ExternalText text={word} />
        </Badge>
      </p>
      {left !== null && left.total > 0 && <Left left={left} />}
      {steps.length > 0 && (
        <ul className="mt-1 flex flex-col gap-0.5 text-soft">
          {steps.map((step) => (
            <Step key={JSON.stringify(step)} step={step} />
          ))}
        </ul>
      )}
      {look.tool !== "" && (
        <div className="mt-3">
          <DefinitionDiff
            title="From what the server declares to what the client sees"
            diff={tool.diff}
            same="The client gets the tool as the server wrote it."
          />
        </div>
      )}
    </li>
  );
}

/** Shows a server's list of tools as the server declares it, and as a client sees it. */
export function ClientListView({
  api,
  name,
  look,
}: {
  readonly api: GatewayApi;
  readonly name: string;
  readonly look: ClientPreview;
}): ReactElement {
  const { client, caller, tool } = look;
  const ask = useCallback(
    (signal: AbortSignal) =>
      api.get("getClientView", { server: name, client, caller, tool }, signal),
    [api, name, client, caller, tool],
  );
  const [{ value, error }, reload] = useLoaded(ask);
  const heading = useOpenedHeading();
  const { tools = [], listedAt = null } = value ?? {};
  return (
    <section aria-label="Tools as a client sees them">
      <p className="flex flex-wrap gap-x-3">
        <a className={LINK_CLASS} href={hashOf("servers", name)}>
          <ExternalText text={name} />
        </a>
        {tool !== "" && (
          <a className={LINK_CLASS} href={clientPreviewHash(name, { client, caller })}>
            All its tools
          </a>
        )}
      </p>
      <h1 ref={heading} tabIndex={-1} className="mt-1 mb-2 text-xl font-semibold wrap-anywhere">
        As the server declares it, as the client sees it
      </h1>
      <WhoForm key={JSON.stringify([client, caller])} api={api} server={name} look={look} />
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <ReloadButton onClick={reload} />
        {listedAt !== null && tool === "" && (
          <span role="status" className="text-soft">
            {toolCountsText(tools)}. {checkedText(value?.checkedFor ?? [])} Listed{" "}
            <TimeText time={listedAt} />.
          </span>
        )}
      </div>
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {value === undefined && error === undefined && <Loading what="the list" />}
      {value?.partial === true && (
        <p className="mb-2 text-warn">The list is longer than 4 MiB; its first pages are shown.</p>
      )}
      {value !== undefined && tools.length === 0 && (
        <EmptyState
          icon={ListChecks}
          title={
            listedAt === null
              ? "The server has not listed its tools yet."
              : tool === ""
                ? "The server lists no tools."
                : "The server does not list this tool."
          }
        >
          {listedAt === null && (
            <p className="text-soft">
              Connect a client, or choose “Load tools” on{" "}
              <a className={LINK_CLASS} href={hashOf("servers", name)}>
                the page of the server
              </a>
              .
            </p>
          )}
        </EmptyState>
      )}
      <ul className="flex flex-col gap-2">
        {tools.slice(0, MAX_TOOLS).map((one, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a list may have two tools of one name
          <Tool key={at} server={name} look={look} tool={one} />
        ))}
      </ul>
      {tools.length > MAX_TOOLS && (
        <p className="mt-2 text-soft">
          and {(tools.length - MAX_TOOLS).toLocaleString("en")} more tools
        </p>
      )}
    </section>
  );
}
