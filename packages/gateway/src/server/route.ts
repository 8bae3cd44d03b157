import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { ActivityQuestion } from "@touchstone/records/serve";
import type { Identity } from "../relay/http/identity.ts";
import type { SessionReader } from "./access/access.ts";
import type { AdminApi } from "./admin/admin-api.ts";
import type { AdminError } from "./admin/errors.ts";
import type { AlertsApi } from "./alerts/alerts-api.ts";
import type { Operation, PathParameterNames } from "./api/operation.ts";
import type {
  BodyOf,
  OperationId,
  Operations,
  ParametersOf,
  ResponseOf,
} from "./api/operations.ts";
import type { AttentionView } from "./attention.ts";
import type { CallToCheck, CheckCall } from "./check-call.ts";
import type { Readiness } from "./readiness.ts";
import type { Oidc } from "./sign-in/oidc/oidc.ts";
import type { SignIn } from "./sign-in/sign-in.ts";
import type { ToolsApi } from "./tools-api/tools-api.ts";
import type { ViewsApi } from "./views-api.ts";

/** What the routes use. */
export interface Api {
  readonly admin: AdminApi;
  readonly alerts: AlertsApi;
  readonly attention: AttentionView;
  readonly views: ViewsApi;
  readonly tools: ToolsApi;
  readonly signIn: SignIn;
  readonly oidc: Oidc;
  /** Identifies the console by the cookie of its session. */
  readonly sessions: SessionReader;
  /** Checks a call that another program makes. */
  readonly check: CheckCall;
  readonly activity: (question: ActivityQuestion, signal: AbortSignal) => Promise<Response>;
  /** Returns a server's metadata for clients that request access tokens; undefined if there are none. */
  readonly metadata: (request: IncomingMessage, path: string) => object | undefined;
  readonly metrics: (request: Request) => Promise<Response>;
  readonly readiness: () => Promise<Readiness>;
}

/** The parts of a request that an operation receives. */
export interface OperationInput<
  Path extends string = string,
  Filter extends string = string,
  Value = unknown,
> {
  /** By name in the path, percent-decoded. */
  readonly path: Readonly<Record<Path, string>>;
  /** Checked by the schemas of `query`. */
  readonly query: Readonly<Partial<Record<Filter, string>>>;
  readonly headers: IncomingHttpHeaders;
  /** The sender. */
  readonly identity: Identity;
  /** The IP address of the sender, for records; absent if the connection is closed. */
  readonly address: string | undefined;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
  /** Whether the client may not use the gateway; always false except in an operation for `anyone`. */
  readonly refused: boolean;
  /**
   * Reads the body and checks it by its schema.
   * @throws {AdminError} 413 for more than 16 KiB, 415 if it is not `application/json`, and the handler's `invalid`
   */
  body(): Promise<Value>;
}

/** How to read a body. */
export interface BodyReader<out Value = unknown> {
  /** Makes the value from a body that matches the schema. Default: parses it. */
  readonly read?: ((bytes: Uint8Array) => Value) | undefined;
  /** Returns the error for a body that is not JSON, or that does not match the schema. Default: `BAD_REQUEST`. */
  readonly invalid?: ((problem: string) => AdminError) | undefined;
}

/** The handler of an operation: returns the JSON of a 200, or a response. Throws an AdminError or an ActivityError. */
export type OperationHandler<
  Path extends string = string,
  Filter extends string = string,
  Value = unknown,
  Result = unknown,
> = (
  api: Api,
  given: OperationInput<Path, Filter, Value>,
) => Result | Response | Promise<Result | Response>;

/** A row of the table of routes: an operation, and its handler. */
export interface Route extends Operation, BodyReader {
  /** The `operationId`. */
  readonly id: string;
  readonly answer: OperationHandler;
}

type AnsweringOf<Id extends OperationId, Value> = OperationHandler<
  PathParameterNames<Operations[Id]["path"]>,
  Extract<Exclude<keyof ParametersOf<Id>, PathParameterNames<Operations[Id]["path"]>>, string>,
  Value,
  ResponseOf<Id>
>;

/** The bodies that are not just parsed as JSON. */
interface ReadBodies {
  readonly checkCall: CallToCheck;
}

/** Makes them. */
export type Readers = {
  readonly [Id in keyof ReadBodies]: NonNullable<BodyReader<ReadBodies[Id]>["read"]>;
};

/**
 * The handler of each operation. Its input is typed by its path, its query and its body, its result by its response.
 */
export type OperationHandlers = {
  readonly [Id in OperationId]: AnsweringOf<
    Id,
    Id extends keyof ReadBodies ? ReadBodies[Id] : BodyOf<Id>
  >;
};

/** Another kind of row: all paths below one path, with a separate OpenAPI document or none. */
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
