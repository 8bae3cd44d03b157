const UNITS: readonly (readonly [seconds: number, unit: string])[] = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "m"],
];

/** How long ago a moment was, in one unit: "now", "12s", "5m", "3h", "2d". Empty if it is not a moment. */
export function agoText(time: string, now: number): string {
  const seconds = Math.floor((now - Date.parse(time)) / 1000);
  if (Number.isNaN(seconds)) return "";
  if (seconds < 5) return "now";
  const [size, unit] = UNITS.find(([each]) => seconds >= each) ?? [1, "s"];
  return `${Math.floor(seconds / size)}${unit}`;
}

const two = (value: number): string => String(value).padStart(2, "0");

/** A moment in this machine's zone, to the millisecond, without the date if that is today; another text as it is. */
export function shortTime(time: string, now: number): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return time;
  const clock = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":");
  const exact = `${clock}.${String(date.getMilliseconds()).padStart(3, "0")}`;
  if (date.toDateString() === new Date(now).toDateString()) return exact;
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${clock}`;
}
