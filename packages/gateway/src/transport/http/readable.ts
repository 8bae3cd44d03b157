import { CONTENT_CODINGS, decoded, foreignCharset } from "./content-coding.ts";
import { UnreadableError } from "./failure.ts";
import { mediaType } from "./forwarding.ts";
import { StreamBody } from "./upstream-body.ts";
import type { UpstreamResponse } from "./upstream-call.ts";

/** What clients read messages from. */
const MESSAGES: ReadonlySet<string> = new Set(["application/json", "text/event-stream"]);

/**
 * An answer whose body is free of any content coding: compression was not asked for, and where it comes all the
 * same, it must hide nothing from a check.
 * @throws UnreadableError where its coding or charset is none that can be read
 */
export function readable(response: UpstreamResponse): UpstreamResponse {
  const { statusCode, headers } = response;
  const { "content-encoding": coding } = headers;
  const type = headers["content-type"];
  const charset = foreignCharset(type);
  // What is no message passes as it came: an error's page, or the empty body of an acknowledgement.
  if (charset !== undefined && MESSAGES.has(mediaType(type))) {
    response.body.discard();
    throw new UnreadableError(`the server's answer is in the charset "${charset}"; JSON is UTF-8`);
  }
  if (coding === undefined) return response;
  const coded = response.body.stream();
  const body = decoded(coded, String(coding));
  if (body === undefined) {
    coded.destroy();
    throw new UnreadableError(
      `the server's answer has the content encoding "${coding}", which cannot be decoded; known are ${CONTENT_CODINGS.join(", ")}`,
    );
  }
  const { "content-encoding": _taken, ...rest } = headers;
  const kept = body === coded ? headers : rest;
  return { statusCode, headers: kept, body: new StreamBody(body) };
}
