import { useCallback } from "react";
import type { GatewayApi } from "../api/gateway.ts";
import { useLoaded } from "./use-loaded.ts";

/** Query key of the gateway's settings, shared by everything that reads them. */
export const SETTINGS_KEY: readonly unknown[] = ["settings"];

/** Returns the version of the gateway; undefined if there is no gateway or it does not report one. */
export function useVersion(api: GatewayApi | undefined): string | undefined {
  const ask = useCallback(
    async (signal: AbortSignal) => (api === undefined ? null : api.get("getSettings", {}, signal)),
    [api],
  );
  const [{ value }] = useLoaded(ask, undefined, SETTINGS_KEY);
  return value?.version;
}
