import { type ReactElement, Suspense } from "react";
import type { GatewayApi } from "../api/gateway.ts";
import { ErrorBoundary } from "./error-boundary.tsx";
import { Loading } from "./loading.tsx";
import { Notice } from "./notice.tsx";
import { PAGE_PARTS } from "./pages.tsx";
import type { PageName, Route } from "./route.ts";

const BROKEN: ReactElement = (
  <Notice kind="bad">This page cannot be shown. Reload it to try again.</Notice>
);

/** A page that is only available with a gateway. */
export function GatewayPage({
  api,
  name,
  route,
}: {
  readonly api: GatewayApi;
  readonly name: PageName;
  readonly route: Route;
}): ReactElement | null {
  const { Component } = PAGE_PARTS[name];
  if (Component === undefined) return null;
  return (
    <ErrorBoundary key={name} fallback={BROKEN}>
      <Suspense fallback={<Loading what="the page" />}>
        <Component api={api} open={route.item} query={route.query} />
      </Suspense>
    </ErrorBoundary>
  );
}
