const MONTHS = [
  ...["Jan", "Feb", "Mar", "Apr", "May", "Jun"],
  ...["Jul", "Aug", "Sep", "Oct", "Nov", "Dec"],
];

const two = (value: number): string => String(value).padStart(2, "0");

/** Returns the day of a moment in the local time zone, for people: `Nov 28`, or `Nov 28, 2025` if it is another year's. */
export function dayText(time: number, now: number): string {
  const date = new Date(time);
  const day = `${MONTHS[date.getMonth()]} ${date.getDate()}`;
  const year = date.getFullYear();
  return year === new Date(now).getFullYear() ? day : `${day}, ${year}`;
}

/** Returns the time of day in the local time zone: `08:31`, or `08:31:10` if it is not a whole minute. */
export function hourText(time: number): string {
  const date = new Date(time);
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}`;
  return date.getSeconds() === 0 ? clock : `${clock}:${two(date.getSeconds())}`;
}
