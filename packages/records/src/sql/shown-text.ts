/** Returns a part of a database, which may have been tampered with, in a form for messages. */
export function shownText(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 99)}…` : text);
}
