import { useCallback } from "react";
import { type GatewayApi, textOf } from "../api/gateway.ts";
import { useLoaded } from "./use-loaded.ts";

/** What asks for the settings of the gateway, whoever reads them. */
export const SETTINGS_KEY: readonly unknown[] = ["settings"];

/** Returns the version of the gateway; undefined if there is none, or it does not say. */
export function useVersion(api: GatewayApi | undefined): string | undefined {
  const ask = useCallback(
    async (signal: AbortSignal) => (api === undefined ? null : api.get("settings", signal)),
    [api],
  );
  const [{ value }] = useLoaded(ask, undefined, SETTINGS_KEY);
  return textOf(value, "version") ?? undefined;
}
