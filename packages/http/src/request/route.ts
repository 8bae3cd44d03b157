import { methodsOf, Router, type RouterRoute } from "../router/router.ts";

/** A kind of resource. */
export type Kind = "page" | "tools" | "openapi" | "asset" | "batch" | "validate" | "call" | "tool";

/**
 * The routes by kind of resource, in the order in which they are tried. If a path contains two actions, the last one
 * counts: the name of a tool may contain slashes, and may itself end in `/validate`.
 */
export const ROUTES: Readonly<Record<Kind, RouterRoute>> = {
  page: { method: "get", path: "/" },
  tools: { method: "get", path: "/tools" },
  openapi: { method: "get", path: "/openapi.json" },
  asset: { method: "get", path: "/assets/{name}" },
  batch: { method: "post", path: "/validate" },
  validate: { method: "post", path: "/tools/{+name}/validate" },
  call: { method: "post", path: "/tools/{+name}/call" },
  tool: { method: "get", path: "/tools/{+name}" },
};

/** The resource that a request is about. */
export interface Resource {
  readonly kind: Kind;
  /** Decoded; if the percent-encoding is `malformed`, unchanged. Empty if the resource has none. */
  readonly name: string;
  readonly malformed: boolean;
  /** Whether the resource has the method. */
  readonly isAllowed: boolean;
}

const router = new Router(
  (Object.keys(ROUTES) as Kind[]).map((kind) => ({ kind, ...ROUTES[kind] })),
);

/** Returns the value of `Allow` (RFC 9110, section 10.2.1) for a resource. */
export function allowHeader(kind: Kind): string {
  return [...methodsOf([ROUTES[kind]]), "OPTIONS"].join(", ");
}

/** Returns the path below `prefix`; undefined if it is outside. `/a` does not contain `/ab`. */
export function pathBelow(path: string, prefix: string): string | undefined {
  if (prefix === "") return path;
  if (path === prefix) return "/";
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : undefined;
}

/**
 * Returns the resource of a path; undefined if it is unknown.
 * @param path percent-encoded, below the prefix
 */
export function parseRoute(path: string, method: string): Resource | undefined {
  const found = router.find(method, path);
  if (found === undefined) return undefined;
  const { route, routes, names } = found;
  const { kind } = route ?? routes[0];
  const { name = "" } = names;
  const isAllowed = route !== undefined;
  try {
    return { kind, name: decodeURIComponent(name), malformed: false, isAllowed };
  } catch {
    return { kind, name, malformed: true, isAllowed };
  }
}

/** Returns whether a GET of a missing tool may have meant an action. */
export function mayMeanAction(path: string): boolean {
  const kind = router.find("POST", path)?.route?.kind;
  return kind === "validate" || kind === "call";
}
