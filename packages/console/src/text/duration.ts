/** Returns how long something took, in words: to a tenth below ten, else in whole milliseconds or tenths of seconds. */
export function durationText(milliseconds: number): string {
  if (milliseconds >= 999.5) return `${(milliseconds / 1000).toFixed(1)} s`;
  return `${milliseconds < 9.95 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`;
}
