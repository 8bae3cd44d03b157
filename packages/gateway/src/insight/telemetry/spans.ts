import type { api } from "@opentelemetry/sdk-node";
import { ATTRIBUTES as A } from "./conventions.ts";
import type { Ending, OperationFact } from "./facts.ts";
import type { Operation, Side } from "./sides.ts";
import type { ServerPlace } from "./telemetry.ts";
import { traceContext } from "./trace-context.ts";

/** `SpanKind` and `SpanStatusCode` of OpenTelemetry's API, whose package may be absent. */
export const KIND: Readonly<Record<Side["role"], number>> = { server: 1, client: 2 };
export const STATUS_ERROR = 2;
const MAX_STATUS = 500;

/** What spans are made with. */
export interface SpanParts {
  readonly tracer: api.Tracer;
  readonly propagator: Pick<api.TextMapPropagator, "extract">;
  readonly root: api.Context;
  /** Puts a span into a context, as the parent of what is begun in it. */
  readonly within: (context: api.Context, parent: api.Span) => api.Context;
}

/**
 * Makes the spans of an operation that has ended: one towards the one who asked, and inside it one
 * towards the one who was asked. The trace in the message's `_meta` is their parent.
 * @param epoch what makes a time of the operation one of the Unix epoch, in milliseconds
 */
export function makeSpans(
  { tracer, propagator, root, within }: SpanParts,
  { fact, name, server, client }: Operation,
  place: ServerPlace,
  epoch: number,
): void {
  const own = ownAttributes(fact, place);
  const time = (milliseconds: number): api.HrTime => hrTime(epoch + milliseconds);
  const start = (side: Side, parent: api.Context): api.Span => {
    const { role, began, error, labels, ending } = side;
    const attributes = { ...labels, ...sideAttributes(fact, side), ...own };
    const options = { kind: KIND[role], startTime: time(began), attributes };
    const span = tracer.startSpan(name, options, parent);
    if (error !== undefined) {
      const message = statusMessage(ending);
      span.setStatus({ code: STATUS_ERROR, ...(message === undefined ? {} : { message }) });
    }
    return span;
  };
  const parent = traceContext(fact.meta, propagator, root);
  const outer = start(server, parent);
  if (client !== undefined) start(client, within(parent, outer)).end(time(client.ended));
  outer.end(time(server.ended));
}

/** Seconds and nanoseconds: the SDK takes a number for milliseconds since its thread started. */
function hrTime(milliseconds: number): api.HrTime {
  const seconds = Math.floor(milliseconds / 1000);
  return [seconds, Math.floor((milliseconds - seconds * 1000) * 1e6)];
}

/**
 * What a span of one side tells otherwise than its series, where every value is one of few: undefined
 * where there is nothing of it.
 */
export function sideAttributes(
  { method, target }: OperationFact,
  { error, ending: { code }, labels }: Side,
): api.Attributes | undefined {
  const named = method === "tools/call" ? A.toolName : A.promptName;
  const same = labels[A.method] === method && (target === undefined || labels[named] === target);
  if (same && code === undefined) return undefined;
  return {
    [A.method]: method,
    ...(target === undefined ? {} : { [named]: target }),
    ...(code === undefined ? {} : { [A.statusCode]: String(code) }),
    ...(code === undefined || error === undefined ? {} : { [A.errorType]: String(code) }),
  };
}

/** What a span tells and a series does not: each value may be another one. */
export function ownAttributes(fact: OperationFact, place: ServerPlace): api.Attributes {
  const { id, uri, session, requestId, decision, outcome, direction } = fact;
  const attributes: api.Attributes = {};
  if (id !== undefined && id !== "null") attributes[A.requestId] = plainId(id);
  if (uri !== undefined) attributes[A.resourceUri] = withoutCredentials(uri);
  if (session !== undefined && hasSessions(fact, place)) attributes[A.sessionId] = session;
  if (requestId !== undefined) attributes[A.activityRequest] = requestId;
  if (decision !== undefined) attributes[A.decision] = decision;
  if (outcome !== undefined) attributes[A.outcome] = outcome;
  if (direction !== undefined) attributes[A.direction] = direction;
  return attributes;
}

/** What the status of a span that failed says. */
export function statusMessage({ message }: Ending): string | undefined {
  return message?.slice(0, MAX_STATUS);
}

/** Sessions have ids over HTTP only, and from 2026-07-28 on there are none. */
function hasSessions({ revision }: OperationFact, { client }: ServerPlace): boolean {
  return client === "tcp" && revision !== undefined && revision < "2026-07-28";
}

/** The id as a text: that of a string is without its quotes. */
function plainId(source: string): string {
  if (!source.startsWith('"')) return source;
  try {
    return String(JSON.parse(source));
  } catch {
    // It was cut.
    return source;
  }
}

/** A URI without the user and password that it may hold (RFC 3986, 3.2.1). */
function withoutCredentials(uri: string): string {
  return uri.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, "$1");
}
