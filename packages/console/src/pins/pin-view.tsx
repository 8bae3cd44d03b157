import type { ShownPin as Pin } from "@touchstone/gateway/api";
import { Ban, Check } from "lucide-react";
import { type ReactElement, useCallback, useState } from "react";
import type { GatewayApi } from "../api/gateway.ts";
import { DefinitionDiff } from "../changes/definition-diff.tsx";
import { Failure } from "../page/failure.tsx";
import { ReloadButton } from "../page/header.tsx";
import { Loading } from "../page/loading.tsx";
import { OpenedHeading } from "../page/opened-heading.tsx";
import { hashOf, serverToolHash } from "../page/route.ts";
import { useLoaded } from "../page/use-loaded.ts";
import { When } from "../page/when.tsx";
import { StateBadge } from "../ui/badge.tsx";
import { Button, ButtonLink } from "../ui/button.tsx";
import { Shown } from "../ui/shown.tsx";
import { DecideDialog } from "./decide-dialog.tsx";
import { diffTitle, labelOf, type PinItem } from "./pins.ts";

/** The address of a declaration on this page. */
export function pinHash({ server, kind, name, hash }: PinItem): string {
  return hashOf("pins", "", { server, kind, name, hash });
}

/** Who decided about a declaration, and when it was seen. */
function History({ pin: { since, decided, caller, state } }: { readonly pin: Pin }): ReactElement {
  return (
    <p className="mb-2 flex flex-wrap items-center gap-x-2 gap-y-1 text-soft">
      <StateBadge state={state} />
      <span>
        seen first <When time={since} />
      </span>
      {decided !== null && (
        <span>
          · {state} <When time={decided} />
          {caller !== null && (
            <>
              {" "}
              by <Shown text={caller} />
            </>
          )}
        </span>
      )}
    </p>
  );
}

/** One declaration of a server: what differs from what was approved, and what can be decided about it. */
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
  const [deciding, setDeciding] = useState<Pin>();
  const isApproved = value?.state === "approved";
  return (
    <section aria-label="Declaration">
      <OpenedHeading page="pins" list="All pins">
        <Shown text={server} /> / <Shown text={labelOf(item)} />
      </OpenedHeading>
      {value !== undefined && <History pin={value} />}
      <div className="mb-3 flex flex-wrap items-center gap-2">
        {value !== undefined && !isApproved && (
          <Button variant="primary" onClick={() => setDeciding(value)}>
            <Check aria-hidden="true" />
            Approve
          </Button>
        )}
        {isApproved && (
          <Button variant="danger" onClick={() => setDeciding(value)}>
            <Ban aria-hidden="true" />
            Revoke
          </Button>
        )}
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
      {value !== undefined && <DefinitionDiff title={diffTitle(value)} diff={value.diff} />}
      {deciding !== undefined && (
        <DecideDialog
          api={api}
          pin={deciding}
          onClose={() => setDeciding(undefined)}
          onDecided={reload}
        />
      )}
    </section>
  );
}
