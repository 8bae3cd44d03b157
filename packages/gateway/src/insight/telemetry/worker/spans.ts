import type * as api from "@opentelemetry/api";
import { revisionOf } from "@touchstone/protocol/advanced";
import { ATTRIBUTES as A } from "../conventions.ts";
import type { OperationFact } from "../facts.ts";
import type { ServerAddresses } from "../telemetry.ts";
import type { OperationSide, TracedOperation } from "./sides.ts";

/** `SpanKind` and `SpanStatusCode` of OpenTelemetry's API, which is loaded only if it is used. */
const KIND: Readonly<Record<OperationSide["role"], number>> = { server: 1, client: 2 };
const STATUS_ERROR = 2;
const MAX_STATUS = 500;

/** The parts of OpenTelemetry's API for spans and contexts. */
export type TraceApi = Pick<typeof api, "ROOT_CONTEXT" | "createTraceState" | "trace">;

/**
 * Makes the spans of an operation that has ended: one toward the peer that sent the request, and inside it one
 * toward the peer that answered. Their parent is the trace in the message's `_meta`.
 * @param epoch converts a time of the operation to the Unix epoch, in milliseconds
 */
export function makeSpans(
  contexts: TraceApi,
  tracer: api.Tracer,
  { fact, name, server, client }: TracedOperation,
  place: ServerAddresses,
  epoch: number,
): void {
  const own = ownAttributes(fact, place);
  const time = (milliseconds: number): api.HrTime => hrTime(epoch + milliseconds);
  const start = (side: OperationSide, parent: api.Context): api.Span => {
    const { role, began, error, labels, ending } = side;
    const attributes = { ...labels, ...sideAttributes(fact, side), ...own };
    const options = { kind: KIND[role] as api.SpanKind, startTime: time(began), attributes };
    const span = tracer.startSpan(name, options, parent);
    if (error !== undefined) {
      const message = ending.message?.slice(0, MAX_STATUS);
      span.setStatus({ code: STATUS_ERROR, ...(message === undefined ? {} : { message }) });
    }
    return span;
  };
  const parent = traceContext(fact.meta, contexts);
  const outer = start(server, parent);
  if (client !== undefined)
    start(client, contexts.trace.setSpan(parent, outer)).end(time(client.ended));
  outer.end(time(server.ended));
}

/** Seconds and nanoseconds: the SDK treats a number as milliseconds since its thread started. */
function hrTime(milliseconds: number): api.HrTime {
  const seconds = Math.floor(milliseconds / 1000);
  return [seconds, Math.floor((milliseconds - seconds * 1000) * 1e6)];
}

/** Returns the attributes of one side's span that differ from those of its series; undefined if there are none. */
function sideAttributes(
  { method, target }: OperationFact,
  { error, ending: { code }, labels }: OperationSide,
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

/** Returns the attributes of a span that a series lacks, because each may have any value. */
function ownAttributes(fact: OperationFact, place: ServerAddresses): api.Attributes {
  const { id, uri, session, caller, requestId, decision, outcome, direction } = fact;
  const attributes: api.Attributes = {};
  if (id !== undefined && id !== "null") attributes[A.requestId] = plainId(id);
  if (uri !== undefined) attributes[A.resourceUri] = withoutCredentials(uri);
  if (session !== undefined && hasSessions(fact, place)) attributes[A.sessionId] = session;
  if (caller !== undefined) attributes[A.caller] = caller;
  if (requestId !== undefined) attributes[A.activityRequest] = requestId;
  if (decision !== undefined) attributes[A.decision] = decision;
  if (outcome !== undefined) attributes[A.outcome] = outcome;
  if (direction !== undefined) attributes[A.direction] = direction;
  return attributes;
}

/** Sessions have ids over HTTP only, and only in revisions with a header for them. */
function hasSessions({ revision }: OperationFact, { client }: ServerAddresses): boolean {
  return client === "tcp" && revision !== undefined && revisionOf(revision)?.sessionHeader === true;
}

/** Returns the id as a text: that of a string is without its quotes. */
function plainId(source: string): string {
  if (!source.startsWith('"')) return source;
  try {
    return String(JSON.parse(source));
  } catch {
    // It was cut.
    return source;
  }
}

/** Returns a URI without user and password (RFC 3986, 3.2.1). */
function withoutCredentials(uri: string): string {
  return uri.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, "$1");
}

/** `traceparent` of W3C Trace Context; version 00 ends after the flags, later ones may be longer. */
const TRACEPARENT =
  /^\s*(?!ff)([\da-f]{2})-((?!0{32})[\da-f]{32})-((?!0{16})[\da-f]{16})-([\da-f]{2})(-.*)?\s*$/;

/**
 * Returns the trace of a message, by `traceparent` and `tracestate` in its `_meta` (MCP SEP-414, W3C Trace Context);
 * the root context if it names no valid trace.
 * @param meta source text of `params._meta`
 */
export function traceContext(meta: string | undefined, contexts: TraceApi): api.Context {
  const { ROOT_CONTEXT, createTraceState, trace } = contexts;
  if (meta === undefined) return ROOT_CONTEXT;
  const members = parsed(meta);
  const parent = textMember(members, "traceparent");
  const [, version, traceId, spanId, flags, rest] = TRACEPARENT.exec(parent ?? "") ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT;
  if (version === "00" && rest !== undefined) return ROOT_CONTEXT;
  const state = textMember(members, "tracestate");
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
    ...(state === undefined ? {} : { traceState: createTraceState(state) }),
  });
}

function textMember(members: unknown, key: string): string | undefined {
  if (typeof members !== "object" || members === null || !Object.hasOwn(members, key)) return;
  const text = (members as Readonly<Record<string, unknown>>)[key];
  return typeof text === "string" ? text : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
