import { driftReport, KNOWN_DRIFT } from "../../drift/report.ts";
import type { Excuses } from "../../policy/excuses.ts";
import { isRecordId } from "../cursor.ts";
import { ActivityError } from "../errors.ts";
import { EXPORTS, exportActivity, exportFormat } from "../export/export.ts";
import { parseActivityFilter, parseActivityScope } from "../filter.ts";
import type { ActivityReader } from "../store.ts";
import { suggestRules } from "../suggest.ts";
import { type EventOptions, eventStream } from "./events.ts";
import { pageText } from "./page.ts";
import { queryOf } from "./query.ts";
import { errorResponse, jsonResponse, jsonText } from "./responses.ts";

/** Where the API stands on a server. */
export const ACTIVITY_API_PATH = "/api/v1/activity";

export interface ActivityApiOptions {
  /** The clock; the system's by default. */
  readonly now?: () => Date;
  readonly events?: EventOptions;
  /** What settings let pass in strict, which `/rollout` does not count. Nothing by default. */
  readonly excuses?: Excuses;
}

const ROUTES = "summary, rollout, drift, export, events";

type Answer = (url: URL, request: Request) => Promise<Response> | Response;

/**
 * The records over HTTP, as a fetch handler. It never throws and asks nobody who is calling: the
 * server it is mounted on does. GET and HEAD only.
 *
 * - `/api/v1/activity`: a page, with the filters of `touchstone activity list`
 * - `/api/v1/activity/{id}`: one record
 * - `/api/v1/activity/summary`, `/rollout` (`suggest=true` adds rules): counts; filters and `period`
 * - `/api/v1/activity/drift?server=&tool=`: what a tool's results were like, against its output schema
 * - `/api/v1/activity/export?format=jsonl|csv|ecs|ocsf`: all records that meet the filters
 * - `/api/v1/activity/events`: server-sent events; `Last-Event-ID` goes on where a client was
 *
 * Faults answer `{error, code}`: 400 `BAD_FILTER`, 404 `NOT_FOUND`, 405, 503 with the store's code.
 */
export function activityApi(
  reader: ActivityReader,
  options: ActivityApiOptions = {},
): (request: Request) => Promise<Response> {
  const { now = () => new Date(), excuses } = options;
  const scopeOf = (url: URL, ...own: readonly string[]) => {
    const input = { ...queryOf(url) };
    for (const name of own) delete input[name];
    return parseActivityScope(input, now());
  };
  const routes: ReadonlyMap<string, Answer> = new Map<string, Answer>([
    [
      "",
      async (url) => {
        const page = await pageText(reader, parseActivityFilter(queryOf(url), now()));
        return jsonText(200, typeof page === "string" ? page : streamOf(page));
      },
    ],
    ["/summary", async (url) => jsonResponse(200, await reader.summary(scopeOf(url)))],
    [
      "/rollout",
      async (url) => {
        const suggests = flag(url, "suggest");
        const rollout = await reader.rollout(scopeOf(url, "suggest"), excuses);
        return jsonResponse(
          200,
          suggests ? { ...rollout, suggestion: suggestRules(rollout) } : rollout,
        );
      },
    ],
    ["/drift", (url) => drift(reader, url)],
    [
      "/export",
      (url) => {
        const format = exportFormat(queryOf(url)["format"] ?? "jsonl");
        const pieces = exportActivity(reader, scopeOf(url, "format"), format);
        const extension = format === "csv" ? "csv" : "jsonl";
        return new Response(streamOf(textsOf(pieces)), {
          headers: {
            "content-type": EXPORTS[format].contentType,
            "content-disposition": `attachment; filename="activity.${extension}"`,
            "cache-control": "no-store",
            "x-content-type-options": "nosniff",
          },
        });
      },
    ],
    [
      "/events",
      (url, request) => {
        const scope = scopeOf(url);
        return eventStream(reader, scope, request, options.events);
      },
    ],
  ]);

  return async (request) => {
    try {
      const url = new URL(request.url);
      const answer = routeOf(url, routes, reader);
      if (answer === undefined) return notFound(nothingAt(url));
      if (request.method !== "GET" && request.method !== "HEAD") {
        const error = `${request.method} is not allowed here; use GET, HEAD.`;
        return jsonResponse(405, { error, code: "METHOD_NOT_ALLOWED" }, { allow: "GET, HEAD" });
      }
      const response = await answer(url, request);
      if (request.method === "GET") return response;
      await response.body?.cancel();
      return new Response(null, { status: response.status, headers: response.headers });
    } catch (error) {
      return errorResponse(error);
    }
  };
}

function routeOf(
  url: URL,
  routes: ReadonlyMap<string, Answer>,
  reader: ActivityReader,
): Answer | undefined {
  const path = url.pathname.replace(/\/$/, "");
  if (path !== ACTIVITY_API_PATH && !path.startsWith(`${ACTIVITY_API_PATH}/`)) return undefined;
  const rest = path.slice(ACTIVITY_API_PATH.length);
  const id = rest.slice(1).toUpperCase();
  return routes.get(rest) ?? (isRecordId(id) ? () => oneRecord(reader, id) : undefined);
}

async function oneRecord(reader: ActivityReader, id: string): Promise<Response> {
  const record = await reader.get(id);
  return record === undefined ? notFound(`There is no record ${id}.`) : jsonResponse(200, record);
}

async function drift(reader: ActivityReader, url: URL): Promise<Response> {
  const { server, tool, ...others } = queryOf(url);
  for (const [field, value] of Object.entries({ server, tool })) {
    if (value) continue;
    throw new ActivityError("BAD_FILTER", `${field}: is needed; name a server and a tool`, {
      field,
    });
  }
  const [field] = Object.keys(others);
  if (field !== undefined) {
    const problem = `${JSON.stringify(field.slice(0, 64))} is none of server, tool`;
    throw new ActivityError("BAD_FILTER", problem, { field });
  }
  const [latest] = await reader.drift(server ?? "", tool ?? "");
  return latest === undefined
    ? notFound(`Nothing is known of results of this tool. ${KNOWN_DRIFT}`)
    : jsonResponse(200, driftReport(latest));
}

function nothingAt({ pathname }: URL): string {
  const name = pathname.slice(ACTIVITY_API_PATH.length).replace(/^\//, "").slice(0, 64);
  return `${JSON.stringify(name)} is no record's id (26 letters and digits), and none of ${ROUTES}.`;
}

function notFound(error: string): Response {
  return jsonResponse(404, { error, code: "NOT_FOUND" });
}

function flag(url: URL, name: string): boolean {
  const text = queryOf(url)[name];
  if (text === undefined || text === "false") return false;
  if (text === "true") return true;
  const problem = `${name}: ${JSON.stringify(text.slice(0, 64))} is none of true, false`;
  throw new ActivityError("BAD_FILTER", problem, { field: name });
}

/** Text as a body that is made as fast as it is read; a fault in the middle breaks it off. */
function streamOf(texts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const next = await texts.next();
      if (next.done === true) controller.close();
      else controller.enqueue(encoder.encode(next.value));
    },
    async cancel() {
      await texts.return(undefined);
    },
  });
}

async function* textsOf(pieces: AsyncIterable<{ readonly text: string }>): AsyncGenerator<string> {
  for await (const { text } of pieces) yield text;
}
