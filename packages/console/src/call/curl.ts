/** A request to send with `curl`. */
export interface CurlRequest {
  /** Absolute. */
  readonly url: string;
  /** A JSON text. */
  readonly body: string;
  /** Whether the server requires a key. The key itself never appears in the command. */
  readonly needsKey: boolean;
}

/**
 * Quotes a text as one word of a POSIX shell (XCU 2.2.2): within single quotes, only a single quote is special. NUL,
 * which a shell word cannot contain, is dropped.
 */
export function shellWord(text: string): string {
  return `'${text.replaceAll("\0", "").replaceAll("'", "'\\''")}'`;
}

/**
 * Returns the command that sends the same request from a POSIX shell. Writes the key as `$TOKEN`, so that it does
 * not end up in a shell history or a chat. NUL, which a shell word cannot contain, is dropped.
 */
export function curlCommand({ url, body, needsKey }: CurlRequest): string {
  const lines = [
    `curl --globoff ${shellWord(url)}`,
    "-H 'Content-Type: application/json'",
    ...(needsKey ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    `--data-raw ${shellWord(body)}`,
  ];
  return lines.join(" \\\n  ").replaceAll("\0", "");
}
