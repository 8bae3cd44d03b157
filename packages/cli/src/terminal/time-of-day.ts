/** Returns the local time of day, as `14:03:59`. */
export function timeOfDay(at: Date): string {
  return [at.getHours(), at.getMinutes(), at.getSeconds()]
    .map((part) => String(part).padStart(2, "0"))
    .join(":");
}
