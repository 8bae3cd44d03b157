import type { Definitions, Schema } from "./schema.ts";

/** Who sends a message. */
export type Sender = "client" | "server";

/** A method, and the definitions that its messages are checked by. */
export interface Method {
  readonly kind: "request" | "notification";
  readonly from: Sender | "both";
  /** The definition of its params. */
  readonly params: string;
  /** Whether the params must be there; by default, where they have a required member. */
  readonly needsParams?: boolean;
  /** The definition of a request's result. */
  readonly result?: string;
  /** The member of the result that is a list, and the definition of its items. */
  readonly list?: { readonly member: string; readonly item: string };
  /** Whether the result may be a `CreateTaskResult` in its stead (MCP 2025-11-25, Tasks). */
  readonly task?: boolean;
  /** Whether the result may be an `InputRequiredResult` in its stead (MCP 2026-07-28, SEP-2322). */
  readonly asksForInput?: boolean;
}

/** What the messages of one revision of MCP look like. */
export interface MessageTable {
  readonly version: string;
  readonly methods: Readonly<Record<string, Method>>;
  readonly definitions: Definitions;
  /** Whether an error must have an id, be it null; later revisions let it be absent. */
  readonly errorNeedsId: boolean;
  /** What the `error` of these codes holds, beside what JSON-RPC asks for. */
  readonly errors: Readonly<Record<string, Schema>>;
}

type More = Partial<Omit<Method, "kind" | "from" | "params" | "result">>;

/** Returns a request, by whom it may be sent, with the definitions of its params and its result. */
export function request(
  from: Method["from"],
  params: string,
  result: string,
  more: More = {},
): Method {
  return { kind: "request", from, params, result, ...more };
}

/** Returns a request whose result lists things. */
export function listRequest(
  from: Method["from"],
  params: string,
  result: string,
  member: string,
  item: string,
): Method {
  return request(from, params, result, { list: { member, item } });
}

/** Returns a notification, by whom it may be sent, with the definition of its params. */
export function notify(from: Method["from"], params: string, more: More = {}): Method {
  return { kind: "notification", from, params, ...more };
}
