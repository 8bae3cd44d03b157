/** A request, as `curl` should send it. */
export interface CurlRequest {
  /** Absolute. */
  readonly url: string;
  /** A JSON text. */
  readonly body: string;
  /** Of the Authorization header that goes with it. The token itself never stands in the command. */
  readonly authorization: string | undefined;
}

/**
 * A text as one word of a POSIX shell (XCU 2.2.2): in single quotes nothing is special but they. NUL, which no shell
 * word can hold, is left out.
 */
export function shellWord(text: string): string {
  return `'${text.replaceAll("\0", "").replaceAll("'", "'\\''")}'`;
}

/** The header with `$TOKEN` for the token: the scheme stands in it where the page writes one of its own. */
function headerLine(authorization: string | undefined): readonly string[] {
  if (authorization === undefined) return [];
  const scheme = /^Bearer \S+$/.test(authorization) ? "Bearer " : "";
  return [`-H "Authorization: ${scheme}$TOKEN"`];
}

/**
 * The command that sends the same request from a POSIX shell. A token is written as `$TOKEN`, so that
 * none lands in a shell's history or in a chat. NUL, which no shell word can hold, is left out.
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
