const two = (value: number): string => String(value).padStart(2, "0");

/** Returns a time (RFC 3339) as date and time in the local time zone, to the second; other text unchanged. */
export function localTime(time: string): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return time;
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
  return `${day} ${clockTime(date)}`;
}

/** Returns the time of day in the local time zone, to the second, with 24 hours. */
export function clockTime(date: Date): string {
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":");
}
