import type { Pause, Pauses } from "@touchstone/gateway/pause";
import { safeText } from "../terminal/safe-text.ts";
import { timeOfDay } from "../terminal/time-of-day.ts";
import type { StillBlocking } from "./still-blocking.ts";

/** A pause in JSON; times are RFC 3339. */
export interface ShownPause {
  readonly since: string;
  readonly until: string;
  /** Set if policy and narrow are paused as well. */
  readonly policy?: true;
}

/** Pauses in JSON: `all` if every server is paused, and each server with its own pause. */
export interface ShownPauses {
  readonly all: ShownPause | null;
  readonly servers: Readonly<Record<string, ShownPause>>;
}

const shown = ({ since, until, policy }: Pause): ShownPause => ({
  since: since.toISOString(),
  until: until.toISOString(),
  ...(policy === true && { policy }),
});

/** Returns pauses in their JSON form. */
export function pausesOf({ all, servers }: Pauses): ShownPauses {
  return {
    all: all === undefined ? null : shown(all),
    servers: Object.fromEntries([...servers].map(([name, pause]) => [name, shown(pause)])),
  };
}

/**
 * Returns two lines for each pause, or one that states that there is none.
 * @param dataDir the directory of the pauses: gateways with another data directory have separate pauses
 */
export function pausesText(
  { all, servers }: Pauses,
  dataDir: string,
  now: Date,
  still: StillBlocking,
): string {
  const lines = [
    ...(all === undefined
      ? []
      : [`every server is paused ${untilText(all, now)}`, `  ${still(undefined, all)}`]),
    ...[...servers].flatMap(([name, pause]) => [
      `${safeText(name)} is paused ${untilText(pause, now)}`,
      `  ${still(name, pause)}`,
    ]),
  ];
  if (lines.length === 0) return `nothing is paused in ${safeText(dataDir)}\n`;
  return `${lines.join("\n")}\ntouchstone resume ends it\n`;
}

function untilText({ until }: Pause, now: Date): string {
  const left = Math.max(1, Math.round((until.getTime() - now.getTime()) / 1000));
  const length =
    left < 120
      ? `${left} s`
      : left < 7200
        ? `${Math.round(left / 60)} min`
        : `${Math.round(left / 360) / 10} h`;
  return `until ${timeOfDay(until)} (${length})`;
}
