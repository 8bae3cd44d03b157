import type { Attention } from "@touchstone/gateway/api";
import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import type { GatewayApi } from "../api/gateway.ts";
import type { PageName } from "./route.ts";
import { AUTO_REFRESH_MS, useLoaded } from "./use-loaded.ts";

/** What waits for an operator, by the name of its page. */
export type PageBadges = Readonly<
  Partial<Record<PageName, { readonly count: string; readonly text: string }>>
>;

/** Key under which the browser stores the time up to which the user has seen schema changes. */
const KEY = "touchstone-changes-seen";
/** How long a page waits for the banner above it, in milliseconds. */
const MAX_WAIT_MS = 1_000;

function keptTime(): string | undefined {
  try {
    return localStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}

let seen = keptTime();
const listeners = new Set<() => void>();

function subscribe(changed: () => void): () => void {
  listeners.add(changed);
  return () => listeners.delete(changed);
}

/** Stores that the user has seen the schema changes up to a time (RFC 3339). Never throws. */
export function sawChanges(newest: string): void {
  const time = Date.parse(newest);
  if (Number.isNaN(time)) return;
  const after = new Date(time + 1).toISOString();
  if (seen !== undefined && seen >= after) return;
  seen = after;
  try {
    localStorage.setItem(KEY, after);
  } catch {
    // Without storage, it is known as long as the page is open.
  }
  for (const changed of listeners) changed();
}

/** What waits for an operator, if known. */
export interface KnownAttention {
  readonly value: Attention | undefined;
  /** Why it is not known. */
  readonly error: string | undefined;
  /** Whether the response has arrived, or took too long. */
  readonly isSettled: boolean;
}

/** Asks what waits for an operator, every few seconds. @param api undefined if the user cannot read it */
export function useAttention(api: GatewayApi | undefined): KnownAttention {
  const since = useSyncExternalStore(subscribe, () => seen);
  const ask = useCallback(
    async (signal: AbortSignal) => api?.get("getAttention", { since }, signal) ?? null,
    [api, since],
  );
  const key = ["attention", api === undefined, since];
  const [{ value, error }] = useLoaded(ask, AUTO_REFRESH_MS, key, true);
  const [isLate, setIsLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsLate(true), MAX_WAIT_MS);
    return () => clearTimeout(timer);
  }, []);
  const isSettled = isLate || value !== undefined || error !== undefined;
  return { value: value ?? undefined, error, isSettled };
}

/** What can wait for an operator, the most urgent first. */
export const WAITING: readonly (readonly [
  kind: keyof Attention,
  page: PageName,
  noun: string,
  state: string,
])[] = [
  ["held", "pins", "tool", "held"],
  ["servers", "servers", "server", "unreachable"],
  ["alerts", "settings", "alert", "not sent"],
  ["schemaChanges", "changes", "schema change", "not looked at"],
];

/** Returns a text such as `1 tool is held`, or `more than 200 schema changes are not looked at`. */
export function waitingText(
  { count, atLeast }: Pick<Attention["held"], "count" | "atLeast">,
  noun: string,
  state: string,
): string {
  if (count === null) return `It is unknown how many ${noun}s are ${state}`;
  const [s, is] = count === 1 ? ["", "is"] : ["s", "are"];
  const number = count.toLocaleString("en");
  return `${atLeast ? "At least " : ""}${number} ${noun}${s} ${is} ${state}`;
}

/** Returns what the navigation shows next to pages; `?` if it cannot be read. */
export function attentionBadges(attention: Attention | undefined): PageBadges {
  if (attention === undefined) return {};
  return Object.fromEntries(
    WAITING.filter(([name]) => attention[name].count !== 0).map(([name, page, noun, state]) => {
      const { count, atLeast } = attention[name];
      const text = waitingText(attention[name], noun, state);
      return [page, { count: count === null ? "?" : `${count}${atLeast ? "+" : ""}`, text }];
    }),
  );
}
