import type { IncomingMessage } from "node:http";
import { messageOf } from "@touchstone/core/advanced";
import type { ActivityEntry } from "@touchstone/records/record";
import { EventPacer, type Logger, type PaceOptions, redactText, visible } from "@touchstone/util";
import { type AccessRefusal, keyOfRequest } from "./access/access.ts";
import { isReadMethod, type RejectedRequest } from "./mcp-routes.ts";

/** Longest part of a reason that contains text from the sender. */
const MAX_TEXT = 200;
/** How much of that text is searched for secrets. */
const MAX_READ = 2_000;

export interface RejectedRequestParts {
  readonly append: (entries: readonly ActivityEntry[]) => Promise<unknown>;
  readonly log: Logger;
  readonly pace?: PaceOptions | undefined;
}

/** Logs and records requests that were rejected before they were read. */
export class RejectedRequestRecords {
  readonly #append: RejectedRequestParts["append"];
  readonly #log: Logger;
  readonly #pace: EventPacer;

  constructor({ append, log, pace }: RejectedRequestParts) {
    this.#append = append;
    this.#log = log;
    this.#pace = new EventPacer(pace);
  }

  /** Notes a request. Browsers that do not have a key yet are not reported. */
  note({ request, path, server, refusal }: RejectedRequest): void {
    if (
      refusal.status === 401 &&
      isReadMethod(request) &&
      keyOfRequest(request.headers) === undefined
    )
      return;
    const from = request.socket.remoteAddress ?? "an unknown address";
    // If a client puts a key into a path by mistake, neither the log nor a record contains it.
    const at = visible(redactText(path.slice(0, MAX_READ)).text, MAX_TEXT);
    const what = `${request.method} ${at} from ${from}, ${why(request, refusal)}`;
    this.rejected(`a request was rejected: ${what}`, server);
  }

  /** Notes any rejection, unless there were many within a minute. */
  rejected(what: string, server?: string): void {
    if (this.#pace.count("turned away", (left) => this.#tellOf(left)) > this.#pace.most) return;
    this.#tell(what, server);
  }

  #tellOf(left: number): void {
    const many = left === 1 ? "one more request was" : `${left} more requests were`;
    this.#tell(`${many} rejected within a minute`, undefined);
  }

  #tell(reason: string, server: string | undefined): void {
    this.#log.warn(reason);
    const entry = { type: "server_change", source: "gateway", status: "rejected", reason } as const;
    this.#append([server === undefined ? entry : { ...entry, server }]).catch((error: unknown) => {
      // The request was rejected in any case.
      const cause = messageOf(error);
      this.#log.error("a request was rejected, and that could not be recorded", {
        reason: cause,
      });
    });
  }
}

function why({ headers }: IncomingMessage, { code, message, reason }: AccessRefusal): string {
  const quoted = (text: string): string =>
    visible(JSON.stringify(redactText(text.slice(0, MAX_READ)).text), MAX_TEXT);
  switch (code) {
    case "HOST_NOT_ALLOWED":
      return headers.host === undefined
        ? "without a Host"
        : `with the Host ${quoted(headers.host)}, which is not allowed`;
    case "ORIGIN_NOT_ALLOWED":
      return headers.origin === undefined
        ? "by a page of another site"
        : `with the Origin ${quoted(headers.origin)}, which is not allowed`;
    case "TOKEN_INVALID":
    case "TOKEN_EXPIRED":
    case "TOKEN_TOO_LARGE":
    case "TOKEN_UNVERIFIABLE":
      return `with an access token that is refused: ${reason ?? message}`;
    default:
      return keyOfRequest(headers) === undefined ? "without an API key" : "with another API key";
  }
}
