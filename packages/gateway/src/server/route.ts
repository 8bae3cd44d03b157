import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { ActivityQuestion } from "../records/api/api.ts";
import type { Identity } from "../transport/http/identity.ts";
import type { AdminApi } from "./admin/admin-api.ts";
import type { AdminError } from "./admin/errors.ts";
import type { CheckCall } from "./check-call.ts";
import type { Readiness } from "./readiness.ts";
import type { Json } from "./schemas/json-schema.ts";
import type { ToolsApi } from "./tools-api/tools-api.ts";

/** What the routes stand on. */
export interface Api {
  readonly admin: AdminApi;
  readonly tools: ToolsApi;
  /** Checks a call that somebody else makes. */
  readonly check: CheckCall;
  readonly activity: (question: ActivityQuestion, signal: AbortSignal) => Promise<Response>;
  /** Returns the metadata of a server for clients that get access tokens; undefined if there are none. */
  readonly metadata: (request: IncomingMessage, path: string) => object | undefined;
  readonly metrics: (request: Request) => Promise<Response>;
  readonly readiness: () => Promise<Readiness>;
}

/**
 * Whom a route answers, beyond the rules of the listener (`Host`, `Origin`, the API key).
 *
 * - `anyone`: no rule holds; for probes, which get a response to every method
 * - `own secret`: no API key is needed, because the request brings a secret that the route checks
 * - `use`: whoever may use a server of the gateway's; the route looks whether it may use that one
 * - `read`: whoever may read records and settings: without callers, whoever may use the gateway
 * - `change`: besides, whoever may change settings
 */
export type Access = "anyone" | "own secret" | "use" | "read" | "change";

/** A parameter in a query or a header. */
export interface Parameter {
  readonly schema: Json;
  readonly required?: boolean;
  /** What an error says of a value that the schema's `pattern` refuses, such as `is no length of time`. */
  readonly refusal?: string;
}

/** The JSON body that a route takes, of which the schema makes a `Value`. */
export interface Body<Value = unknown> {
  /** For the compiler only. */
  readonly value?: Value;
  /** Refers to the document's own schemas by `#/components/schemas/NAME`. */
  readonly schema: Json;
  readonly description?: string;
  /** The largest body that is read, in bytes. Default 16 KiB. */
  readonly maxBytes?: number;
  /** Makes the value of a body that the schema accepts. By default it is parsed. */
  readonly read?: (bytes: Uint8Array) => Value;
  /** What an error calls the values of an `enum`, with its article, such as `a mode`. */
  readonly noun?: string;
  /** The error for a body that is not JSON, or that the schema refuses. */
  readonly invalid: (problem: string) => AdminError;
}

/** The names in a path template: `server` and `tool` in `/servers/{server}/tools/{tool}`. */
type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/** What a route gets of a request. */
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
  /** Who sends it. */
  readonly identity: Identity;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
  /** Whether the client may not use the gateway; false except in a route for `anyone`. */
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
  /** A template as in OpenAPI. A name stands for one whole segment. */
  readonly path: Path;
  /** The `operationId`. */
  readonly id: string;
  /** Default `read`. */
  readonly access?: Access;
  /** Without it, the query is ignored; with it, an unknown or repeated name is an error. */
  readonly query?: Readonly<Record<Query, Parameter>>;
  readonly headers?: Readonly<Record<string, Parameter>>;
  readonly body?: Body<Value>;
  /** By status. */
  readonly responses: Readonly<Record<number, Json>>;
  /** Returns the JSON value of a 200, or a response. Throws an AdminError or an ActivityError. */
  answer(api: Api, given: Given<Path, Query, Value>): unknown;
}

/** Another row: all that is at a path and below it, which has an OpenAPI document of its own or none. */
export interface Mount {
  /** Ends in `*` if it stands for everything below it. */
  readonly mount: string;
  /** Whether a request needs no API key. Default: it does. */
  isOpen?(api: Api, request: IncomingMessage, path: string): boolean;
  /**
   * @param path of the request's target as the client sent it, without the query
   * @returns undefined if nothing is there; `sent` if it wrote to `response` itself
   */
  answer(
    api: Api,
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
  ): Promise<Response | "sent"> | Response | undefined;
}

/** Returns a row. What its `answer` gets is typed by its path, its query and its body. */
export function route<Path extends string, Query extends string = never, Value = never>(
  row: Route<Path, Query, Value>,
): Route {
  return row;
}
