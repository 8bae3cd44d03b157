import type { api } from "@opentelemetry/sdk-node";

/** The keys of `params._meta` that carry a trace (MCP SEP-414, W3C Trace Context). */
const KEYS = ["traceparent", "tracestate"] as const;

/**
 * The trace that a message belongs to, by its `_meta`; the given context where it names none, or
 * something else than a trace.
 * @param meta source text of `params._meta`
 */
export function traceContext(
  meta: string | undefined,
  propagator: Pick<api.TextMapPropagator, "extract">,
  root: api.Context,
): api.Context {
  if (meta === undefined) return root;
  const carrier = carrierOf(meta);
  return propagator.extract(root, carrier, {
    get: (from: ReadonlyMap<string, string>, key) => from.get(key),
    keys: (from: ReadonlyMap<string, string>) => [...from.keys()],
  });
}

function carrierOf(meta: string): ReadonlyMap<string, string> {
  const carrier = new Map<string, string>();
  const members: unknown = parsed(meta);
  if (typeof members !== "object" || members === null) return carrier;
  for (const key of KEYS) {
    const text = Object.hasOwn(members, key)
      ? (members as Readonly<Record<string, unknown>>)[key]
      : undefined;
    if (typeof text === "string") carrier.set(key, text);
  }
  return carrier;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
