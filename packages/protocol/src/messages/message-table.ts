import type { Definitions, Schema } from "./schema.ts";

/** Who sends a message. */
export type Sender = "client" | "server";

/** A method, and the definitions that its messages are checked against. */
export interface Method {
  readonly kind: "request" | "notification";
  readonly from: Sender | "both";
  /** The definition of its params. */
  readonly params: string;
  /** Whether the params must be present. Default: true if they have a required member. */
  readonly needsParams?: boolean;
  /** The definition of a request's result. */
  readonly result?: string;
  /** The member of the result that is a list, and the definition of its items. */
  readonly list?: { readonly member: string; readonly item: string };
  /** The identifier of the extension that defines the method, if the revision itself does not (SEP-2133). */
  readonly extension?: string;
  /** Whether the result may instead be a `CreateTaskResult` (MCP 2025-11-25, Tasks). */
  readonly task?: boolean;
  /** Whether the result may instead be an `InputRequiredResult` (MCP 2026-07-28, SEP-2322). */
  readonly asksForInput?: boolean;
}

/** The shapes of the messages of one MCP revision. */
export interface MessageTable {
  readonly version: string;
  readonly methods: Readonly<Record<string, Method>>;
  readonly definitions: Definitions;
  /** Whether an error must have an id, even if it is null. Later revisions allow it to be absent. */
  readonly errorNeedsId: boolean;
  /** What an `error` with one of these codes holds, in addition to what JSON-RPC requires. */
  readonly errors: Readonly<Record<string, Schema>>;
}

type More = Partial<Omit<Method, "kind" | "from" | "params" | "result">>;

/** Returns a request, with its possible senders and the definitions of its params and result. */
export function request(
  from: Method["from"],
  params: string,
  result: string,
  more: More = {},
): Method {
  return { kind: "request", from, params, result, ...more };
}

/** Returns a request whose result is a list. */
export function listRequest(
  from: Method["from"],
  params: string,
  result: string,
  member: string,
  item: string,
): Method {
  return request(from, params, result, { list: { member, item } });
}

/** Returns a notification, with its possible senders and the definition of its params. */
export function notify(from: Method["from"], params: string, more: More = {}): Method {
  return { kind: "notification", from, params, ...more };
}
