import { messageOf } from "@touchstone/core";
import type { GatewayConfig } from "@touchstone/gateway/config";
import { safeText } from "../terminal/safe-text.ts";

/** How many declarations of a pinned server are in which state, as `touchstone approve SERVER --list` has them. */
export interface PinFindings {
  readonly server: string;
  /** What happens to those that are not approved. */
  readonly pin: "warn" | "strict";
  readonly held: number;
  readonly revoked: number;
  readonly recorded: number;
  readonly approved: number;
}

/** The pinned servers of a configuration; or why their approvals are unknown. */
export type ExaminedPins = readonly PinFindings[] | { readonly unreadable: string };

/**
 * Counts the declarations of each enabled server with `pin`, by state. Only looks: it creates and changes nothing, so
 * the approvals in a store of an earlier release are unknown.
 * @param dataDir where records are; undefined if there is none
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
  const { openPlace, shownPins } = await import("@touchstone/gateway/activity");
  try {
    const store = await openPlace(at).pins();
    if (store === undefined) return undefined;
    try {
      const found: PinFindings[] = [];
      for (const { name, mode } of pinned) {
        const pins = await shownPins(store, { server: name });
        const count = (state: string): number => pins.filter((pin) => pin.state === state).length;
        found.push({
          ...{ server: name, pin: mode, held: count("held"), revoked: count("revoked") },
          ...{ recorded: count("recorded"), approved: count("approved") },
        });
      }
      return found;
    } finally {
      await store.close();
    }
  } catch (error) {
    return { unreadable: messageOf(error) };
  }
}

/** For people: a line for each pinned server. */
export function pinsText(pins: ExaminedPins): string {
  if ("unreadable" in pins) return `approvals: unknown: ${safeText(pins.unreadable)}\n`;
  return pins
    .map(({ server, pin, held, revoked, recorded, approved }) => {
      const counts = [
        `${held} held`,
        ...(revoked > 0 ? [`${revoked} revoked`] : []),
        ...(recorded > 0 ? [`${recorded} recorded`] : []),
        `${approved} approved`,
      ].join(", ");
      const open = held + revoked > 0;
      const next = open ? `; touchstone approve ${safeText(server)} --list shows them` : "";
      return `${safeText(server)}: pin ${pin}: ${counts}${next}\n`;
    })
    .join("");
}
