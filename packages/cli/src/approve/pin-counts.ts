import type { ShownPin } from "@touchstone/gateway/activity";

/** How many declarations are in each state. */
export type PinCounts = Readonly<Record<ShownPin["state"], number>>;

/** Counts declarations by their state. */
export function pinCounts(pins: readonly Pick<ShownPin, "state">[]): PinCounts {
  const of = (state: ShownPin["state"]): number => pins.filter((pin) => pin.state === state).length;
  return {
    ...{ held: of("held"), revoked: of("revoked") },
    ...{ recorded: of("recorded"), approved: of("approved") },
  };
}

/**
 * Returns the counts for people. Revoked declarations do not count as held, although their calls are blocked as well.
 */
export function pinCountsText({ held, revoked, recorded, approved }: PinCounts): string {
  return [
    `${held} held`,
    ...(revoked > 0 ? [`${revoked} revoked`] : []),
    ...(recorded > 0 ? [`${recorded} recorded`] : []),
    `${approved} approved`,
  ].join(", ");
}
