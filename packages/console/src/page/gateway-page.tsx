import { type ReactElement, Suspense } from "react";
import type { GatewayApi } from "../api/gateway.ts";
import { ErrorBoundary } from "./error-boundary.tsx";
import { Loading } from "./loading.tsx";
import { Notice } from "./notice.tsx";
import { PAGE_PARTS } from "./pages.tsx";
import type { PageName, Route } from "./route.ts";

/** Shown instead of a page that threw. */
export const BROKEN_PAGE: ReactElement = (
  <Notice kind="bad">This page cannot be shown. Reload it to try again.</Notice>
);

/** A page that exists only with a gateway, for users who may read it. */
export function GatewayPage({
  api,
  name,
  route,
  reason,
}: {
  readonly api: GatewayApi;
  readonly name: PageName;
  readonly route: Route;
  /** Why this user cannot read it. */
  readonly reason?: string | undefined;
}): ReactElement | null {
  const { Component } = PAGE_PARTS[name];
  if (Component === undefined) return null;
  if (reason !== undefined) return <Notice kind="plain">{reason}</Notice>;
  return (
    <ErrorBoundary key={name} fallback={BROKEN_PAGE}>
      <Suspense fallback={<Loading what="the page" />}>
        <Component api={api} open={route.item} query={route.query} />
      </Suspense>
    </ErrorBoundary>
  );
}
