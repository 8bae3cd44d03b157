import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { ActivityQuestion } from "../records/api/api.ts";
import type { Role } from "../settings/schema.ts";
import type { Identity } from "../transport/http/identity.ts";
import type { AdminApi } from "./admin/admin-api.ts";
import type { AdminError } from "./admin/errors.ts";
import type { CheckCall } from "./check-call.ts";
import type { Readiness } from "./readiness.ts";
import type { Json } from "./schemas/json-schema.ts";
import type { ToolsApi } from "./tools-api/tools-api.ts";

/** What the routes use. */
export interface Api {
  readonly admin: AdminApi;
  readonly tools: ToolsApi;
  /** Checks a call that somebody else makes. */
  readonly check: CheckCall;
  readonly activity: (question: ActivityQuestion, signal: AbortSignal) => Promise<Response>;
  /** Returns a server's metadata for clients that get access tokens; undefined if there are none. */
  readonly metadata: (request: IncomingMessage, path: string) => object | undefined;
  readonly metrics: (request: Request) => Promise<Response>;
  readonly readiness: () => Promise<Readiness>;
}

/**
 * Who may use a route, beyond the rules of the listener (`Host`, `Origin`, the key).
 *
 * - `anyone`: no rule applies; for probes, which get a response to every method
 * - `own secret`: no key is needed, because the request brings a secret that the route checks
 * - a role: clients with this role or a higher one. A route for callers checks itself whether the client may use the
 *   given server.
 */
export type Access = "anyone" | "own secret" | Role;

/** A parameter in a query or a header. */
export interface Parameter {
  readonly schema: Json;
  readonly required?: boolean;
  /** The end of an error about a value that the schema's `pattern` refuses, such as `is not a length of time`. */
  readonly refusal?: string;
}

/** The JSON body of a route; its schema describes the type `Value`. */
export interface Body<Value = unknown> {
  /** For the compiler only. */
  readonly value?: Value;
  /** May refer to the document's own schemas by `#/components/schemas/NAME`. */
  readonly schema: Json;
  readonly description?: string;
  /** Largest body, in bytes. Default: 16 KiB. */
  readonly maxBytes?: number;
  /** Makes the value from a body that the schema accepts. Default: parses it. */
  readonly read?: (bytes: Uint8Array) => Value;
  /** Whether a request may have no body, which then counts as `{}`. Default: false. */
  readonly optional?: boolean;
  /** The name of an `enum`'s values in errors, with its article, such as `a mode`. */
  readonly noun?: string;
  /** The error for a body that is not JSON, or that the schema refuses. */
  readonly invalid: (problem: string) => AdminError;
}

/** The names in a path template: `server` and `tool` in `/servers/{server}/tools/{tool}`. */
type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/** What a route receives of a request. */
export interface Given<
  Path extends string = string,
  Query extends string = string,
  Value = unknown,
> {
  /** By name in the path, percent-decoded. */
  readonly path: Readonly<Record<NamesIn<Path>, string>>;
  /** Checked by the schemas of `query`. */
  readonly query: Readonly<Partial<Record<Query, string>>>;
  readonly headers: IncomingHttpHeaders;
  /** The sender. */
  readonly identity: Identity;
  /** The IP address of the sender, for records; absent if the connection is closed. */
  readonly address: string | undefined;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
  /** Whether the client may not use the gateway; always false except in a route for `anyone`. */
  readonly refused: boolean;
  /**
   * Reads the body and checks it by its schema.
   * @throws {AdminError} 413 for more than 16 KiB, 415 if it is not `application/json`, and the row's `invalid`
   */
  body(): Promise<Value>;
}

/** One row of the table of routes: an operation of the gateway's own API. */
export interface Route<
  Path extends string = string,
  Query extends string = string,
  Value = unknown,
> {
  readonly method: "get" | "post" | "patch";
  /** A template as in OpenAPI. A name matches one whole segment. */
  readonly path: Path;
  /** The `operationId`. */
  readonly id: string;
  readonly access: Access;
  /** Without it, the query is ignored; with it, an unknown or repeated name is an error. */
  readonly query?: Readonly<Record<Query, Parameter>>;
  readonly headers?: Readonly<Record<string, Parameter>>;
  readonly body?: Body<Value>;
  /** By status. */
  readonly responses: Readonly<Record<number, Json>>;
  /** Returns the JSON value of a 200, or a response. Throws an AdminError or an ActivityError. */
  answer(api: Api, given: Given<Path, Query, Value>): unknown;
}

/** Another kind of row: everything at a path and below it, with its own OpenAPI document or none. */
export interface Mount {
  /** Ends in `*` if it covers everything below it. */
  readonly mount: string;
  /** Everybody with a key has at least the role `caller`. */
  readonly access: "anyone" | "caller";
  /** Whether a request needs no key. Default: it does. */
  isOpen?(api: Api, request: IncomingMessage, path: string): boolean;
  /**
   * @param path of the request's target as the client sent it, without the query
   * @returns undefined if nothing is there; `sent` if it wrote `response` itself
   */
  answer(
    api: Api,
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
  ): Promise<Response | "sent"> | Response | undefined;
}

/** Returns a row. The input of its `answer` is typed by its path, its query and its body. */
export function route<Path extends string, Query extends string = never, Value = never>(
  row: Route<Path, Query, Value>,
): Route {
  return row;
}
