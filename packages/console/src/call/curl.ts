/** A request to send with `curl`. */
export interface CurlRequest {
  /** Absolute. */
  readonly url: string;
  /** A JSON text. */
  readonly body: string;
  /** Value of the Authorization header. The token itself never appears in the command. */
  readonly authorization: string | undefined;
}

/**
 * Quotes a text as one word of a POSIX shell (XCU 2.2.2): within single quotes, only a single quote is special. NUL,
 * which a shell word cannot contain, is dropped.
 */
export function shellWord(text: string): string {
  return `'${text.replaceAll("\0", "").replaceAll("'", "'\\''")}'`;
}

/** Returns the header with `$TOKEN` instead of the token. It includes the scheme if the page adds one itself. */
function headerLine(authorization: string | undefined): readonly string[] {
  if (authorization === undefined) return [];
  const scheme = /^Bearer \S+$/.test(authorization) ? "Bearer " : "";
  return [`-H "Authorization: ${scheme}$TOKEN"`];
}

/**
 * Returns the command that sends the same request from a POSIX shell. Writes the token as `$TOKEN`, so that it does
 * not end up in a shell history or a chat. NUL, which a shell word cannot contain, is dropped.
 */
export function curlCommand({ url, body, authorization }: CurlRequest): string {
  const lines = [
    `curl --globoff ${shellWord(url)}`,
    "-H 'Content-Type: application/json'",
    ...headerLine(authorization),
    `--data-raw ${shellWord(body)}`,
  ];
  return lines.join(" \\\n  ").replaceAll("\0", "");
}
