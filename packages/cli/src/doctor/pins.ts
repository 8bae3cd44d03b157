import { messageOf } from "@touchstone/core/advanced";
import type { GatewayConfig } from "@touchstone/gateway/config";
import { type PinCounts, pinCounts, pinCountsText } from "../approve/pin-counts.ts";
import { safeText } from "../terminal/safe-text.ts";

/** How many declarations of a pinned server have each state, as in `touchstone approve SERVER --list`. */
export interface PinFindings extends PinCounts {
  readonly server: string;
  /** The mode for declarations that are not approved. */
  readonly pin: "warn" | "strict";
}

/** The pinned servers of a configuration; or why their approvals are unknown. */
export type ExaminedPins = readonly PinFindings[] | { readonly unreadable: string };

/**
 * Counts the declarations of each enabled server with `pin`, by state. Only reads: it creates and changes nothing, so
 * the approvals in a store of an earlier release are unknown.
 * @param dataDir where the records are; undefined if there are none
 * @returns undefined if nothing is pinned, or nothing has been recorded yet
 */
export async function examinePins(
  { servers, activity }: GatewayConfig,
  dataDir: string | undefined,
): Promise<ExaminedPins | undefined> {
  const pinned = servers.flatMap(({ name, disabled, settings }) => {
    const { mode = "off" } = settings.pin ?? {};
    return disabled || mode === "off" ? [] : [{ name, mode }];
  });
  if (pinned.length === 0) return undefined;
  const at =
    activity.store !== undefined
      ? { url: activity.store }
      : dataDir === undefined
        ? undefined
        : { dataDir };
  if (at === undefined) return undefined;
  const { openPlace, listPins } = await import("@touchstone/gateway/activity");
  try {
    const store = await openPlace(at).pins();
    if (store === undefined) return undefined;
    try {
      const found: PinFindings[] = [];
      for (const { name, mode } of pinned) {
        const pins = await listPins(store, { server: name });
        found.push({ server: name, pin: mode, ...pinCounts(pins) });
      }
      return found;
    } finally {
      await store.close();
    }
  } catch (error) {
    return { unreadable: messageOf(error) };
  }
}

/** Returns the text for people: one line for each pinned server. */
export function pinsText(pins: ExaminedPins): string {
  if ("unreadable" in pins) return `approvals: unknown: ${safeText(pins.unreadable)}\n`;
  return pins
    .map(({ server, pin, ...counts }) => {
      const open = counts.held + counts.revoked > 0;
      const next = open ? `; touchstone approve ${safeText(server)} --list shows them` : "";
      return `${safeText(server)}: pin ${pin}: ${pinCountsText(counts)}${next}\n`;
    })
    .join("");
}
