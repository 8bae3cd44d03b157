import * as api from "@opentelemetry/api";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { traceContext } from "./spans.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PARENT = `00-${TRACE}-b7ad6b7169203331-01`;
const parentOf = (meta: string | undefined) => api.trace.getSpanContext(traceContext(meta, api));

describe("the trace of a message", () => {
  it("is that of its _meta", () => {
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
  ])("is a new one where _meta is %j", (meta) => {
    expect(parentOf(meta)).toBeUndefined();
  });

  it("is that of a later version, which may say more", () => {
    const later = `01${PARENT.slice(2)}-more`;
    expect(parentOf(JSON.stringify({ traceparent: later }))?.traceId).toBe(TRACE);
  });

  it("is had from any text without an error", () => {
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
