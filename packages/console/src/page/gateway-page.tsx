import { type ReactElement, Suspense } from "react";
import type { GatewayApi } from "../api/gateway.ts";
import { ErrorBoundary } from "./error-boundary.tsx";
import { lazily } from "./lazily.tsx";
import { Notice } from "./notice.tsx";
import type { Route } from "./route.ts";

// Each page comes when it is first shown.
const ActivityPage = lazily(() => import("../activity/activity-page.tsx"));
const RolloutPage = lazily(() => import("../rollout/rollout-page.tsx"));
const ServersPage = lazily(() => import("../servers/servers-page.tsx"));
const SettingsPage = lazily(() => import("../settings/settings-page.tsx"));

const BROKEN: ReactElement = (
  <Notice kind="bad">This page cannot be shown. Reload it to try again.</Notice>
);

function Shown({ api, route }: { readonly api: GatewayApi; readonly route: Route }): ReactElement {
  const { page, item, query } = route;
  if (page === "activity") return <ActivityPage api={api} open={item} query={query} />;
  if (page === "rollout") return <RolloutPage api={api} query={query} />;
  if (page === "servers") return <ServersPage api={api} open={item} />;
  return <SettingsPage api={api} />;
}

/** A page that only a gateway has. */
export function GatewayPage(props: {
  readonly api: GatewayApi;
  readonly route: Route;
}): ReactElement {
  return (
    <ErrorBoundary key={props.route.page} fallback={BROKEN}>
      <Suspense fallback={<p role="status">Loading …</p>}>
        <Shown {...props} />
      </Suspense>
    </ErrorBoundary>
  );
}
