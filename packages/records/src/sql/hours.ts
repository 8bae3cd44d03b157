export const HOUR_MS = 3_600_000;

/** Returns the hour of a time in the format of the count tables: `2026-08-31T09`. */
export function hourOf(time: Date): string {
  return time.toISOString().slice(0, "2026-08-31T09".length);
}

/** Returns the start of the hour that contains a time. */
export function floorHour(time: Date): Date {
  return new Date(Math.floor(time.getTime() / HOUR_MS) * HOUR_MS);
}

/** Returns the first full hour that is not before a time. */
export function ceilHour(time: Date): Date {
  return new Date(Math.ceil(time.getTime() / HOUR_MS) * HOUR_MS);
}
