/** Returns a part of a database, which somebody may have changed, for a message. */
export function shownText(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 99)}…` : text);
}
