import { isObject, jsonText, locatePointers, parseJson } from "@touchstone/core/advanced";
import type { CallProgress, CallRefusal, ToolCallHandler, ToolCallOutcome } from "@touchstone/http";
import { type Frame, paramHeadersOf } from "@touchstone/protocol/advanced";
import type { Logger } from "@touchstone/util";
import type { RefusalCause } from "../../pipeline/exchange.ts";
import { refusedText } from "../../pipeline/messages.ts";
import { OwnClient } from "./client.ts";
import type { PostToEndpoint } from "./endpoint-poster.ts";
import { type ListedTool, ToolList } from "./tool-list.ts";
import { JsonRpcResponseError, ServerCallError } from "./upstream-error.ts";

const CONTENT = "/content";
const STRUCTURED = "/structuredContent";

export interface ServerToolsParts {
  readonly server: string;
  readonly post: PostToEndpoint;
  /** Largest response of the server, in bytes. */
  readonly maxBytes: number;
  /** How many tools of its list to keep. */
  readonly maxTools: number;
  readonly log: Logger;
  /** Called for a call that the server answers with an error. */
  readonly onError: (tool: string, error: JsonRpcResponseError) => void;
  /** Offers the process that requests without a session share to a session. */
  readonly spare: () => void;
}

/** The tools of one server for the HTTP tool API. */
export class ServerTools {
  readonly server: string;
  readonly #client: OwnClient;
  readonly #list: ToolList;
  readonly #onError: ServerToolsParts["onError"];

  constructor({ server, post, maxBytes, maxTools, log, onError, spare }: ServerToolsParts) {
    this.server = server;
    this.#onError = onError;
    const onToolsChanged = (): void => this.#list.markStale();
    this.#client = new OwnClient({ post, maxBytes, onToolsChanged, spare });
    this.#list = new ToolList({
      ask: (params) => this.#client.request("tools/list", params),
      warn: (message, reason) => log.warn(message, { server, reason }),
      now: () => performance.now(),
      maxTools,
    });
  }

  /** @throws ServerCallError if the server cannot be asked and no list of it is known */
  list(): Promise<readonly ListedTool[]> {
    return this.#list.get();
  }

  /** Ends its session with the server, if there is one. Never rejects. */
  leave(): Promise<void> {
    return this.#client.leave();
  }

  /**
   * Runs a tool. The arguments are sent as the client wrote them, even if they can be repaired: the gateway's own
   * endpoint does that, and records it. A server's error becomes a result with `isError`, with the error as its
   * `structuredContent`; a refusal of the gateway's becomes one with the status of its kind.
   * @throws ServerCallError if the server returns neither
   */
  readonly call: ToolCallHandler = async (name, _args, request) => {
    const { bodyText, sentText, signal, askedRepairs: repair, reportProgress } = request;
    // If two tools have the same name, the last one counts.
    const tool = (await this.#list.get()).findLast((listed) => listed.name === name);
    const declared = paramHeadersOf(tool?.["inputSchema"]);
    const params = `{"name":${JSON.stringify(name)},"arguments":${sentText ?? bodyText}}`;
    let refusal: RefusalCause | undefined;
    const onRefusal = (given: RefusalCause): void => {
      refusal = given;
    };
    const options = {
      signal,
      // The call was already counted before its arguments were checked.
      own: { repair, onRefusal, isCounted: true },
      params: declared.valid ? declared.headers : [],
      onProgress: reportProgress && ((frame: Frame) => reportProgress(progressOf(frame))),
    };
    try {
      const frame = await this.#client.request("tools/call", params, options);
      if (frame.resultType === "input_required") {
        throw new ServerCallError("the tool asks for more input, which this API cannot give");
      }
      return outcomeOf(frame, refusal);
    } catch (error) {
      if (!(error instanceof JsonRpcResponseError)) throw error;
      if (refusal !== undefined) return refusedOutcome(name, error, refusal);
      this.#onError(name, error);
      return errorOutcome(error);
    }
  };
}

/** The longest report of progress that is read, in bytes. */
const MAX_PROGRESS = 65_536;

/** The content of a notification. The receiver skips everything except progress. */
function progressOf(frame: Frame): CallProgress {
  const range = frame.range("/params");
  const isShort = range !== undefined && range.end - range.start <= MAX_PROGRESS;
  const parsed = isShort ? parseJson(frame.text(range)) : undefined;
  return (parsed?.ok ? parsed.value : undefined) as CallProgress;
}

const STATUSES: Readonly<Record<RefusalCause["by"], CallRefusal["status"]>> = {
  policy: 403,
  limit: 429,
};

function statusOf(refusal: RefusalCause | undefined): CallRefusal | undefined {
  return refusal && { status: STATUSES[refusal.by], retryAfter: refusal.retryAfter };
}

/** The result for a call that the gateway refused with an error of the protocol. */
function refusedOutcome(
  tool: string,
  { error }: JsonRpcResponseError,
  refusal: RefusalCause,
): ToolCallOutcome {
  const text = refusedText(tool, String(error.value["message"]));
  return { content: [{ type: "text", text }], isError: true, refusal: statusOf(refusal) };
}

function errorOutcome({ message, error: { value, text } }: JsonRpcResponseError): ToolCallOutcome {
  return {
    content: [{ type: "text", text: message }],
    isError: true,
    structuredContent: value,
    texts: { structuredContent: text },
  };
}

/** Returns a result with the source texts of its parts, because numbers in parsed values are doubles. */
function outcomeOf(
  { bytes, ranges: { result } }: Frame,
  refusal: RefusalCause | undefined,
): ToolCallOutcome {
  const own = bytes.subarray(result?.start ?? 0, result?.end ?? 0);
  const parsed = parseJson(own);
  if (!parsed.ok) throw new ServerCallError("the tool's result cannot be read");
  // The caller checks its form.
  const given = parsed.value as ToolCallOutcome;
  if (!isObject(given)) return given;
  const places = locatePointers(own, [CONTENT, STRUCTURED]);
  const textAt = (pointer: string): string | undefined => {
    const place = places.get(pointer);
    return place?.found === true ? jsonText(own, place.value) : undefined;
  };
  const texts = { content: textAt(CONTENT), structuredContent: textAt(STRUCTURED) };
  // Members of these names in the server's own result are overwritten.
  return Object.assign(given, { texts, refusal: statusOf(refusal) });
}
