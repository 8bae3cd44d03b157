import { encodeUtf8, isObject } from "@touchstone/core/advanced";
import { API_HEADERS } from "./answers/headers.ts";
import type { CallProgress } from "./call-types.ts";

/** How many characters of a progress message to pass on. */
const MAX_MESSAGE = 1_000;
/** How long a stream may be silent, in milliseconds: proxies end silent connections. */
const SILENT_MS = 15_000;

/** The headers of an event stream. They ask a proxy such as nginx not to buffer it. */
const EVENTS_HEADERS: Readonly<Record<string, string>> = {
  ...API_HEADERS,
  "content-type": "text/event-stream",
  "x-accel-buffering": "no",
};

/** Reports the progress of a call. Never throws. */
export type ReportProgress = (progress: CallProgress) => void;

/** An event (https://html.spec.whatwg.org/multipage/server-sent-events.html), whose data may have several lines. */
function eventText(name: string, data: string): string {
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  return `event: ${name}\n${lines.join("")}\n`;
}

const isNumber = (value: unknown): value is number => Number.isFinite(value);

/** Returns reported progress, bounded; undefined if it is invalid (MCP 2025-11-25, Basic Utilities, Progress). */
function readProgress(given: unknown): CallProgress | undefined {
  if (!isObject(given)) return undefined;
  const { progress, total, message } = given;
  if (!isNumber(progress)) return undefined;
  return {
    progress,
    ...(isNumber(total) ? { total } : {}),
    ...(typeof message === "string" ? { message: message.slice(0, MAX_MESSAGE) } : {}),
  };
}

/** The events of one call. If progress was not read yet, only the latest report is kept. */
class ProgressEvents {
  readonly #onClosed: () => void;
  #latest: CallProgress | undefined;
  #end: (() => Promise<string>) | undefined;
  #isClosed = false;
  #wake: () => void = () => {};

  /** @param onClosed called when the reader leaves */
  constructor(onClosed: () => void) {
    this.#onClosed = onClosed;
  }

  add(progress: CallProgress): void {
    this.#latest = progress;
    this.#wake();
  }

  /** Ends the stream, after the latest progress, with an event. */
  end(last: () => Promise<string>): void {
    this.#end = last;
    this.#wake();
  }

  stream(): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        if (this.#latest === undefined && this.#end === undefined) await this.#next();
        if (this.#isClosed) return;
        const progress = this.#latest;
        this.#latest = undefined;
        const end = this.#end;
        if (progress !== undefined) {
          controller.enqueue(encodeUtf8(eventText("progress", JSON.stringify(progress))));
        } else if (end !== undefined) {
          controller.enqueue(encodeUtf8(await end()));
          controller.close();
        } else {
          controller.enqueue(encodeUtf8(":\n\n"));
        }
      },
      cancel: () => {
        this.#isClosed = true;
        this.#wake();
        this.#onClosed();
      },
    });
  }

  /** Resolves when there is something to send, or the stream was silent for long. */
  #next(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, SILENT_MS);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/**
 * Responds to a call whose client accepts events. A call that ends before it reports progress gets the usual
 * response. Else the response is an event stream with status 200: `progress` events, then one `result` event with the
 * body of the usual response.
 * @param left aborted when the client leaves
 * @param work gets a signal that is aborted when the client leaves, also while it reads the stream
 */
export function withProgress(
  left: AbortSignal,
  work: (signal: AbortSignal, report: ReportProgress) => Promise<Response>,
): Promise<Response> {
  const closed = new AbortController();
  let events: ProgressEvents | undefined;
  let hasEnded = false;
  return new Promise((resolve, reject) => {
    const report: ReportProgress = (given) => {
      const progress = hasEnded ? undefined : readProgress(given);
      if (progress === undefined) return;
      if (events === undefined) {
        events = new ProgressEvents(() => closed.abort());
        resolve(new Response(events.stream(), { status: 200, headers: EVENTS_HEADERS }));
      }
      events.add(progress);
    };
    work(AbortSignal.any([left, closed.signal]), report).then(
      (response) => {
        hasEnded = true;
        events?.end(async () => eventText("result", await response.text()));
        resolve(response);
      },
      (cause: unknown) => {
        hasEnded = true;
        events?.end(() => Promise.reject(cause));
        reject(cause);
      },
    );
  });
}
