/** A resource that has a name. */
export interface Named {
  readonly kind: "asset" | "tool" | "validate" | "call";
  /** Decoded; if the percent-encoding is `malformed`, unchanged. */
  readonly name: string;
  readonly malformed: boolean;
}

/** The resource of a path. */
export type Resource = Named | { readonly kind: "page" | "tools" | "batch" | "openapi" };

const GET = ["GET", "HEAD"] as const;
const POST = ["POST"] as const;

/** The methods of each kind of resource, without OPTIONS, which all have. */
export const METHODS: Readonly<Record<Resource["kind"], readonly string[]>> = {
  page: GET,
  tools: GET,
  tool: GET,
  openapi: GET,
  asset: GET,
  validate: POST,
  call: POST,
  batch: POST,
};

/** Returns the value of `Allow` (RFC 9110, section 10.2.1) for a resource. */
export function allowed(kind: Resource["kind"]): string {
  return [...METHODS[kind], "OPTIONS"].join(", ");
}

function named(kind: Named["kind"], encoded: string): Named {
  try {
    return { kind, name: decodeURIComponent(encoded), malformed: false };
  } catch {
    return { kind, name: encoded, malformed: true };
  }
}

/** Returns the path below `prefix`; undefined if it is outside. `/a` does not contain `/ab`. */
export function below(path: string, prefix: string): string | undefined {
  if (prefix === "") return path;
  if (path === prefix) return "/";
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : undefined;
}

const TOOLS = "/tools/";

function action(rest: string, method: string): Resource {
  // Of two actions the last one counts: a name may end in /validate itself.
  const [, name, kind] = /^(.*)\/(validate|call)$/s.exec(rest) ?? [];
  // A name that ends like an action can only be read; actions are POST only.
  if (name === undefined || method === "GET" || method === "HEAD") return named("tool", rest);
  return named(kind === "call" ? "call" : "validate", name);
}

/**
 * Returns the resource of a path; undefined if it is unknown. A name is everything between `/tools/` and the last
 * `/validate` or `/call`, with raw slashes or `%2F`. One slash at the end is dropped.
 * @param path percent-encoded, below the prefix
 */
export function parseRoute(path: string, method: string): Resource | undefined {
  const trimmed = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
  switch (trimmed) {
    case "/":
      return { kind: "page" };
    case "/tools":
      return { kind: "tools" };
    case "/validate":
      return { kind: "batch" };
    case "/openapi.json":
      return { kind: "openapi" };
  }
  if (trimmed.startsWith(TOOLS)) return action(trimmed.slice(TOOLS.length), method);
  const asset = /^\/assets\/([^/]+)$/.exec(trimmed)?.[1];
  return asset === undefined ? undefined : named("asset", asset);
}

/** Returns the action that a GET of a missing tool may have meant. */
export function meantAction(path: string): "validate" | "call" | undefined {
  const kind = /^\/tools\/.*\/(validate|call)\/?$/s.exec(path)?.[1];
  return kind === "validate" || kind === "call" ? kind : undefined;
}
