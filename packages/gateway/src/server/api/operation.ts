import { type Json, ref, type Schema, type Typed } from "@touchstone/util/schema";
import type { Role } from "../../settings/schema.ts";
import { ERROR } from "./schemas.ts";

/**
 * Who may use an operation, beyond the rules of the listener (`Host`, `Origin`, the key).
 *
 * - `anyone`: no rule applies; for probes, which get a response to every method
 * - `own secret`: no key is needed, because the request contains a secret that the operation checks
 * - a role: clients with this role or a higher one. An operation for callers checks itself whether the client may use
 *   the given server.
 */
export type Access = "anyone" | "own secret" | Role;

/** Returns whether an operation needs a role, and with it a key. */
export const needsRole = (access: Access): access is Role =>
  access !== "anyone" && access !== "own secret";

/** A parameter in a query or a header. */
export interface Parameter {
  readonly schema: Json;
  readonly required?: boolean;
  /** The end of an error about a value that the schema's `pattern` refuses, such as `is not a length of time`. */
  readonly refusal?: string;
}

/** The parameters of a query, by name. */
export type Query = Readonly<Record<string, Parameter>>;

/** The JSON body of a request. */
export interface Body<out Value = unknown> extends Typed<Value> {
  /** May refer to the document's own schemas by `#/components/schemas/NAME`. */
  readonly schema: Schema<Value>;
  readonly description?: string;
  /** Largest body, in bytes. Default: 16 KiB. */
  readonly maxBytes?: number;
  /** Whether a request may have no body, which then counts as `{}`. Default: false. */
  readonly optional?: boolean;
  /** The name of an `enum`'s values in errors, with its article, such as `a mode`. */
  readonly noun?: string;
}

/** A response, and the type of its JSON. */
export type OperationResponse<Value = unknown> = Json & Typed<Value>;

export type Method = "get" | "post" | "patch" | "delete";

/** An operation of the gateway's own API, as its OpenAPI document describes it. */
export interface Operation<
  Path extends string = string,
  Filters extends Query = Query,
  Value = unknown,
  Result = unknown,
  Verb extends Method = Method,
> {
  readonly method: Verb;
  /** A template as in OpenAPI. A name matches one whole segment. */
  readonly path: Path;
  readonly access: Access;
  /** Without it, the query is ignored; with it, an unknown or repeated name is an error. */
  readonly query?: Filters;
  readonly headers?: Query;
  readonly body?: Body<Value>;
  /** By status. */
  readonly responses: Readonly<Record<number, Json>> & { readonly 200: OperationResponse<Result> };
}

/** Returns an operation whose parameters, body and response are typed. */
export function operation<
  const Path extends string,
  Result,
  const Filters extends Query = Readonly<Record<never, Parameter>>,
  Value = never,
  const Verb extends Method = Method,
>(
  declared: Operation<Path, Filters, Value, Result, Verb>,
): Operation<Path, Filters, Value, Result, Verb> {
  return declared;
}

/** The names in a path template: `server` and `tool` in `/servers/{server}/tools/{tool}`. */
export type PathParameterNames<Path extends string> =
  Path extends `${string}{${infer Name}}${infer Rest}` ? Name | PathParameterNames<Rest> : never;

/** Returns a response or a request body of one media type. */
export const content = <Value>(
  description: string,
  type: string,
  schema: Schema<Value>,
): OperationResponse<Value> => ({ description, content: { [type]: { schema } } });
/** Returns a response with JSON. */
export const jsonResponse = <Value>(
  description: string,
  schema: Schema<Value>,
): OperationResponse<Value> => content(description, "application/json", schema);
/** Returns a response `{error, code}`. */
export const errorResponse = (description: string): Json => jsonResponse(description, ref(ERROR));

/** Responses that several operations have. */
export const SERVER_ERROR_RESPONSES = { 500: errorResponse("A bug; see the gateway's log.") };
export const STORE_ERROR_RESPONSES = {
  ...SERVER_ERROR_RESPONSES,
  503: errorResponse("The records cannot be read; `code` names the reason."),
};
export const BAD_FILTER = { 400: errorResponse("A parameter is invalid.") };
export const NOT_FOUND = { 404: errorResponse("Nothing has this name or id.") };
export const BAD_BODY = {
  413: errorResponse("The body is over 16 KiB."),
  415: errorResponse("The body is not application/json."),
};
