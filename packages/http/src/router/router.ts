/** A route: one method at the paths that match a template. */
export interface RouterRoute {
  readonly method: "get" | "post" | "patch" | "delete";
  /**
   * A path in which `{name}` matches one segment, and `{+name}` any text, including slashes (RFC 6570, sections 3.2.2,
   * 3.2.3).
   */
  readonly path: string;
}

/** The result of looking up a path. */
export interface Found<Route extends RouterRoute> {
  /** The route for the method; undefined if the path has none. */
  readonly route: Route | undefined;
  /** All routes of the path's template. */
  readonly routes: readonly [Route, ...Route[]];
  /** The values of the names in the template, percent-encoded. */
  readonly names: Readonly<Record<string, string>>;
}

/** The routes of one template. */
interface TemplateRoutes<Route extends RouterRoute> {
  readonly pattern: RegExp;
  readonly routes: [Route, ...Route[]];
  /** Whether other templates may be meant by the same path: a name in it may have slashes. */
  readonly isOpen: boolean;
}

const NAME = /\{(\+?)(\w+)\}/g;

/** Returns the expression for the paths of a template. */
function patternOf(path: string): RegExp {
  let pattern = "";
  let end = 0;
  for (const {
    0: { length },
    1: plus,
    2: name,
    index,
  } of path.matchAll(NAME)) {
    pattern += `${escaped(path.slice(end, index))}(?<${name}>${plus === "+" ? ".*" : "[^/]+"})`;
    end = index + length;
  }
  return new RegExp(`^${pattern}${escaped(path.slice(end))}$`, "s");
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Writes a template as another framework or document does. @param write returns what to write instead of a name */
export function writeTemplate(path: string, write: (name: string) => string): string {
  return path.replace(NAME, (_, __, name: string) => write(name));
}

/**
 * Finds routes by path and method. Templates are tried in the order of the routes, and the first one that matches has
 * the path. A template with `{+name}` that does not have the method leaves the path to later templates. HEAD is
 * answered by GET. One slash at the end of a path is dropped.
 */
export class Router<Route extends RouterRoute> {
  readonly #places: readonly TemplateRoutes<Route>[];

  constructor(routes: readonly Route[]) {
    const places = new Map<string, TemplateRoutes<Route>>();
    for (const route of routes) {
      const { path } = route;
      const known = places.get(path);
      if (known !== undefined) known.routes.push(route);
      else {
        places.set(path, {
          pattern: patternOf(path),
          routes: [route],
          isOpen: path.includes("{+"),
        });
      }
    }
    this.#places = [...places.values()];
  }

  /**
   * Returns what is at a path; undefined if nothing is.
   * @param path percent-encoded, without the query
   */
  find(method: string, path: string): Found<Route> | undefined {
    const trimmed = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
    const wanted = method === "HEAD" ? "GET" : method;
    let first: Found<Route> | undefined;
    for (const { pattern, routes, isOpen } of this.#places) {
      const match = pattern.exec(trimmed);
      if (match === null) continue;
      const route = routes.find((one) => one.method.toUpperCase() === wanted);
      const found = { route, routes, names: match.groups ?? {} };
      if (route !== undefined) return found;
      first ??= found;
      if (!isOpen) break;
    }
    return first;
  }
}

/** Returns the methods of routes, for `Allow` (RFC 9110, section 10.2.1). GET also answers HEAD. */
export function methodsOf(routes: readonly RouterRoute[]): readonly string[] {
  return routes.flatMap(({ method }) =>
    method === "get" ? ["GET", "HEAD"] : [method.toUpperCase()],
  );
}
