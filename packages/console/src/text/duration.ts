/** Formats a duration in words: to a tenth below ten, otherwise in whole milliseconds or tenths of seconds. */
export function durationText(milliseconds: number): string {
  if (milliseconds >= 999.5) return `${(milliseconds / 1000).toFixed(1)} s`;
  return `${milliseconds < 9.95 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`;
}

/** Seconds in a day, an hour and a minute. */
const SPANS: readonly (readonly [seconds: number, unit: string])[] = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
  [1, "s"],
];

/** Formats a duration in its two largest units: `2 h 5 min`. */
export function spanText(seconds: number): string {
  let left = seconds;
  const parts: string[] = [];
  for (const [size, unit] of SPANS) {
    const count = Math.floor(left / size);
    if (count > 0 || (size === 1 && parts.length === 0)) parts.push(`${count} ${unit}`);
    left -= count * size;
  }
  return parts.slice(0, 2).join(" ");
}
