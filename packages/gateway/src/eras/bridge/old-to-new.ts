import { LATEST, REVISIONS, type Revision } from "@touchstone/protocol/advanced";
import { methodUncrossed, type Uncrossed } from "./messages.ts";

/** What becomes of a kind of request of the client. */
export interface RequestCrossing {
  /**
   * `cross`: the server responds to it. `respond`: the bridge does. `level`: the bridge keeps the log level in it.
   * `subscribe`, `unsubscribe`: the bridge keeps the resource in it.
   */
  readonly to: "cross" | "respond" | "level" | "subscribe" | "unsubscribe" | Uncrossed;
  /** Whether its result says how long it may be kept: `ttlMs` and `cacheScope`. */
  readonly isCacheable?: true;
  /** What of its result the client's revision has in another form. */
  readonly shows?: "output schemas" | "structured content";
  /** Whether its result may ask the client for input, so that the request is sent again with it. */
  readonly mayAsk?: true;
}

/** What differs between two revisions for a client of one in front of a server of the other. */
export interface RevisionCodec {
  /** The revisions of clients. */
  readonly from: readonly Revision[];
  /** The revision of the server. */
  readonly to: Revision;
  /** Requests of the client. What is not listed crosses, such as the methods of extensions. */
  readonly requests: Readonly<Record<string, RequestCrossing>>;
  /** Notifications of the client that the server's revision does not have. All others cross. */
  readonly dropped: ReadonlySet<string>;
  /** Members of the server's capabilities that clients are offered: the others need what does not cross. */
  readonly capabilities: readonly string[];
  /** Members of these that are offered if the server has them, and those of the filter with which the bridge listens. */
  readonly changes: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Members of the client's capabilities that the server learns: with what is in them, or empty. */
  readonly declared: Readonly<Record<string, "same" | "empty">>;
  /** Requests of the server for input that cross. */
  readonly inputs: ReadonlySet<string>;
}

/** The member of a filter that names resources. */
export const SUBSCRIPTIONS = "resourceSubscriptions";
const CROSS: RequestCrossing = { to: "cross" };
const LIST: RequestCrossing = { to: "cross", isCacheable: true };
const TASKS =
  "tasks are an extension there, with other methods (MCP 2026-07-28, Changelog, SEP-2663)";
const task = (method: string): RequestCrossing => ({ to: methodUncrossed(method, TASKS) });

/** Clients that begin with `initialize`, in front of a server of 2026-07-28 (its Changelog; Versioning). */
export const OLD_TO_NEW: RevisionCodec = {
  from: REVISIONS.filter(({ handshake }) => handshake),
  to: LATEST,
  requests: {
    ping: { to: "respond" },
    "logging/setLevel": { to: "level" },
    "tools/list": { ...LIST, shows: "output schemas" },
    "tools/call": { ...CROSS, shows: "structured content", mayAsk: true },
    "prompts/list": LIST,
    "prompts/get": { ...CROSS, mayAsk: true },
    "resources/list": LIST,
    "resources/templates/list": LIST,
    "resources/read": { ...LIST, mayAsk: true },
    "completion/complete": CROSS,
    "server/discover": LIST,
    "resources/subscribe": { to: "subscribe" },
    "resources/unsubscribe": { to: "unsubscribe" },
    "tasks/get": task("tasks/get"),
    "tasks/list": task("tasks/list"),
    "tasks/result": task("tasks/result"),
    "tasks/cancel": task("tasks/cancel"),
  },
  dropped: new Set([
    ...["notifications/initialized", "notifications/roots/list_changed"],
    "notifications/progress",
  ]),
  capabilities: ["logging", "completions", "prompts", "resources", "tools"],
  changes: {
    tools: { listChanged: "toolsListChanged" },
    prompts: { listChanged: "promptsListChanged" },
    resources: { listChanged: "resourcesListChanged", subscribe: SUBSCRIPTIONS },
  },
  declared: { roots: "empty", sampling: "same", elicitation: "same" },
  inputs: new Set(["elicitation/create", "sampling/createMessage", "roots/list"]),
};
