import type { ShownPin as Pin } from "@touchstone/gateway/api";
import { type ReactElement, useCallback } from "react";
import type { GatewayApi } from "../api/gateway.ts";
import { DefinitionDiff } from "../changes/definition-diff.tsx";
import { Failure } from "../page/failure.tsx";
import { ReloadButton } from "../page/header.tsx";
import { Loading } from "../page/loading.tsx";
import { OpenedHeading } from "../page/opened-heading.tsx";
import { hashOf, serverToolHash } from "../page/route.ts";
import { TimeText } from "../page/time-text.tsx";
import { useLoaded } from "../page/use-loaded.ts";
import { StateBadge } from "../ui/badge.tsx";
import { ButtonLink } from "../ui/button.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { DecideCard } from "./decide-card.tsx";
import { declarationLabel, diffTitle, type PinItem } from "./pins.ts";

/** Returns the address of a declaration on this page. */
export function pinHash({ server, kind, name, hash }: PinItem): string {
  return hashOf("pins", "", { server, kind, name, hash });
}

/** Shows who decided about a declaration, and when it was seen. */
function History({ pin: { since, decided, caller, state } }: { readonly pin: Pin }): ReactElement {
  return (
    <p className="mb-2 flex flex-wrap items-center gap-x-2 gap-y-1 text-soft">
      <StateBadge state={state} />
      <span>
        seen first <TimeText time={since} />
      </span>
      {decided !== null && (
        <span>
          · {state} <TimeText time={decided} />
          {caller !== null && (
            <>
              {" "}
              by <ExternalText text={caller} />
            </>
          )}
        </span>
      )}
    </p>
  );
}

/** Shows one declaration of a server: how it differs from the approved one, and which decisions are possible. */
export function PinView({
  api,
  item,
}: {
  readonly api: GatewayApi;
  readonly item: PinItem;
}): ReactElement {
  const { server, kind, name, hash } = item;
  const ask = useCallback(
    (signal: AbortSignal) => api.get("diffPin", { server, kind, name, hash }, signal),
    [api, server, kind, name, hash],
  );
  const [{ value, error }, reload] = useLoaded(ask);
  return (
    <section aria-label="Declaration">
      <OpenedHeading page="pins" list="All pins">
        <ExternalText text={server} /> / <ExternalText text={declarationLabel(item)} />
      </OpenedHeading>
      {value !== undefined && <History pin={value} />}
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <ReloadButton onClick={reload} />
        {kind === "tool" && (
          <>
            <ButtonLink href={api.address(serverToolHash(server, name))}>Open the tool</ButtonLink>
            <ButtonLink href={hashOf("changes", "", { server, tool: name })}>
              Its changes
            </ButtonLink>
          </>
        )}
      </div>
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {value === undefined && error === undefined && <Loading what="the declaration" />}
      {value !== undefined && (
        <div className="flex flex-col gap-3">
          <DefinitionDiff title={diffTitle(value)} diff={value.diff} />
          <DecideCard api={api} pin={value} onDecided={reload} />
        </div>
      )}
    </section>
  );
}
