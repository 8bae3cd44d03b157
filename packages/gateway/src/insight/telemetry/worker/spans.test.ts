import * as api from "@opentelemetry/api";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LabelNameLimit } from "./labels.ts";
import { readOperation } from "./sides.ts";
import { makeSpans, traceContext } from "./spans.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PARENT = `00-${TRACE}-b7ad6b7169203331-01`;
const parentOf = (meta: string | undefined) => api.trace.getSpanContext(traceContext(meta, api));

describe("the trace of a message", () => {
  it("continues the trace in _meta", () => {
    const meta = JSON.stringify({ traceparent: PARENT, tracestate: "rojo=1", baggage: "a=1" });
    expect(parentOf(meta)).toMatchObject({
      traceId: TRACE,
      spanId: "b7ad6b7169203331",
      traceFlags: 1,
      isRemote: true,
    });
    expect(parentOf(meta)?.traceState?.serialize()).toBe("rojo=1");
  });

  it.each([
    undefined,
    "",
    "{",
    "[]",
    "null",
    '"traceparent"',
    '{"traceparent":1}',
    '{"traceparent":"00-0af7"}',
    `{"traceparent":"00-${"0".repeat(32)}-b7ad6b7169203331-01"}`,
    `{"traceparent":"${PARENT}-more"}`,
    `{"traceparent":"${PARENT.toUpperCase()}"}`,
    `{"traceparent":"ff-${TRACE}-b7ad6b7169203331-01"}`,
    `{"__proto__":{"traceparent":"${PARENT}"}}`,
    `{"nested":{"traceparent":"${PARENT}"}}`,
  ])("starts a new one for _meta %j", (meta) => {
    expect(parentOf(meta)).toBeUndefined();
  });

  it("accepts a later traceparent version with more fields", () => {
    const later = `01${PARENT.slice(2)}-more`;
    expect(parentOf(JSON.stringify({ traceparent: later }))?.traceId).toBe(TRACE);
  });

  it("never throws, for any _meta", () => {
    const texts = fc.oneof(
      fc.string(),
      fc.json(),
      fc
        .record({ traceparent: fc.string(), tracestate: fc.string() })
        .map((o) => JSON.stringify(o)),
    );
    fc.assert(fc.property(texts, (meta) => void parentOf(meta)));
  });
});

describe("the spans of an operation", () => {
  it.each([
    ["alice", "alice"],
    [undefined, undefined],
  ])("names the caller %s in enduser.id on both sides", (caller, expected) => {
    const told: unknown[] = [];
    const tracer: api.Tracer = {
      ...api.trace.getTracer("none"),
      startSpan: (_name, options) => {
        told.push(options?.attributes?.["enduser.id"]);
        return api.trace.wrapSpanContext(api.INVALID_SPAN_CONTEXT);
      },
    };
    const place = { name: "s", client: "pipe", upstream: { transport: "pipe" } } as const;
    const times = { began: 1, sent: 2, answered: 3, ended: 4 };
    const fact = { server: "s", from: "client", method: "ping", known: false, caller } as const;
    const operation = readOperation({ ...fact, ...times, ending: {} }, place, new LabelNameLimit());
    makeSpans(api, tracer, operation, place, 0);
    expect(told).toEqual([expected, expected]);
  });
});
