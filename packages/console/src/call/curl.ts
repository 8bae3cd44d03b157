/** A request, as `curl` should send it. */
export interface CurlRequest {
  /** Absolute. */
  readonly url: string;
  /** A JSON text. */
  readonly body: string;
  /** Whether an Authorization header goes with it. The token itself never stands in the command. */
  readonly authorized: boolean;
}

/** A text as one word of a POSIX shell (XCU 2.2.2): in single quotes nothing is special but they. */
function word(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * The command that sends the same request from a POSIX shell. A token is written as `$TOKEN`, so that
 * none lands in a shell's history or in a chat. NUL, which no shell word can hold, is left out.
 */
export function curlCommand({ url, body, authorized }: CurlRequest): string {
  const lines = [
    `curl --globoff ${word(url)}`,
    "-H 'Content-Type: application/json'",
    ...(authorized ? ['-H "Authorization: $TOKEN"'] : []),
    `--data-raw ${word(body)}`,
  ];
  return lines.join(" \\\n  ").replaceAll("\0", "");
}
