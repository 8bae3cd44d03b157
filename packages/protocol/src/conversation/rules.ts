import { isObject, joinPointer } from "@touchstone/core";
import { TASKS_EXTENSION } from "../extensions.ts";
import type { Frame } from "../frame.ts";
import type { Sender } from "../messages/message-table.ts";
import type { Revision } from "../revisions/revision.ts";
import {
  type Capabilities,
  declares,
  type Facts,
  inParams,
  objectAt,
  progressOf,
  type RequestFacts,
} from "./facts.ts";

/** What a rule looks at. */
export interface Moment {
  readonly frame: Frame;
  readonly sender: Sender;
  readonly revision: Revision;
  readonly facts: Facts;
  /** The request that an answer answers, if it is known. */
  readonly request: RequestFacts | undefined;
  /** All that the peers have said was seen, so that what is not known was not said. */
  readonly whole: boolean;
}

/** What breaks a rule, and where. */
export interface Breach {
  readonly path: string;
  readonly message: string;
}

/** A rule about a message in the light of those before it. */
export interface Rule {
  readonly id: string;
  /** The section of the specification, beside the revision. */
  readonly section: string;
  /** The revisions that have the rule, as far as it is not all of them. */
  readonly from?: string;
  readonly until?: string;
  /** The first revision that says MUST or MUST NOT; before, it is SHOULD. Undefined: it never is more than SHOULD. */
  readonly must?: string;
  readonly sender: Sender | "both";
  readonly kinds: readonly Frame["kind"][];
  /** The methods that it is about; all, if there are none. */
  readonly methods?: readonly string[];
  readonly broken: (moment: Moment) => Breach | undefined;
}

const FIRST = "2024-11-05";
const MODERN = "2026-07-28";
/** "Both parties MUST … only use capabilities that were successfully negotiated"; before: SHOULD. */
const NEGOTIATED = "2025-06-18";
const LAST_LEGACY = "2025-11-25";
const CALLS = ["request", "notification"] as const;

const breach = (path: string, message: string): Breach => ({ path, message });

/** The token's key as the other type has it: `"1"` for 1. */
function otherType(key: string): string {
  return `${key.startsWith("s") ? "n" : "s"}${key.slice(1)}`;
}

function lacking(
  method: string | undefined,
  side: Sender,
  capability: string,
  at: string = "/method",
): Breach {
  return breach(
    at,
    `${method} needs the ${side}'s capability ${capability}, which it has not declared`,
  );
}

/** What may be sent only if the server has declared a capability. */
function undeclared(...path: readonly string[]): Rule["broken"] {
  return ({ frame, facts }) =>
    facts.serverCapabilities === undefined || declares(facts.serverCapabilities, ...path)
      ? undefined
      : lacking(frame.method, "server", path.join("."));
}

/** What of the client's capabilities a request for input needs and lacks. */
function missingFor(
  capabilities: Capabilities,
  method: string,
  { mode, tools, toolChoice }: { mode?: string; tools?: string; toolChoice?: string },
  revision: Revision,
): string | undefined {
  if (capabilities === undefined) return undefined;
  const has = (...path: string[]): boolean => declares(capabilities, ...path);
  switch (method) {
    case "roots/list":
      return has("roots") ? undefined : "roots";
    case "sampling/createMessage": {
      if (!has("sampling")) return "sampling";
      const usesTools = tools !== undefined || toolChoice !== undefined;
      const divided = revision.version >= LAST_LEGACY;
      return divided && usesTools && !has("sampling", "tools") ? "sampling.tools" : undefined;
    }
    case "elicitation/create": {
      if (!has("elicitation")) return "elicitation";
      if (revision.version < LAST_LEGACY) return undefined;
      if (mode === '"url"') return has("elicitation", "url") ? undefined : "elicitation.url";
      // An empty object stands for forms (Elicitation, Capabilities).
      const forms = has("elicitation", "form") || !has("elicitation", "url");
      return forms ? undefined : "elicitation.form";
    }
    default:
      return undefined;
  }
}

/** The first of the requests for input in a result whose capability the client lacks. */
function inputLacking({ frame, request, revision }: Moment): Breach | undefined {
  if (frame.resultType !== "input_required") return undefined;
  const requests = objectAt(frame, frame.range("/result/inputRequests"));
  if (requests === undefined || request?.capabilities === undefined) return undefined;
  for (const [name, asked] of Object.entries(requests)) {
    const { method, params } = (isObject(asked) ? asked : {}) as {
      method?: unknown;
      params?: unknown;
    };
    if (typeof method !== "string") continue;
    const text = (value: unknown): string | undefined =>
      value === undefined ? undefined : (JSON.stringify(value) ?? undefined);
    const { mode, tools, toolChoice } = (isObject(params) ? params : {}) as Record<string, unknown>;
    const parts = { mode: text(mode), tools: text(tools), toolChoice: text(toolChoice) };
    const found = missingFor(request.capabilities, method, parts as never, revision);
    if (found !== undefined) {
      return lacking(
        method,
        "client",
        found,
        `${joinPointer("/result/inputRequests", name)}/method`,
      );
    }
  }
  return undefined;
}

/** Requests that a client may send only if the server has declared a capability, and that. */
const OF_SERVER: ReadonlyMap<string, readonly string[]> = new Map([
  ["logging/setLevel", ["logging"]],
  ["completion/complete", ["completions"]],
  ["prompts/list", ["prompts"]],
  ["prompts/get", ["prompts"]],
  ["resources/list", ["resources"]],
  ["resources/templates/list", ["resources"]],
  ["resources/read", ["resources"]],
  ["resources/subscribe", ["resources", "subscribe"]],
  ["resources/unsubscribe", ["resources", "subscribe"]],
]);

/** The member of a subscription's filter that asks for a notification (MCP 2026-07-28, Notification Filter). */
const FILTERS: ReadonlyMap<string, string> = new Map([
  ["notifications/tools/list_changed", "toolsListChanged"],
  ["notifications/prompts/list_changed", "promptsListChanged"],
  ["notifications/resources/list_changed", "resourcesListChanged"],
  ["notifications/resources/updated", "resourceSubscriptions"],
]);

/** Whether a `subscriptions/listen` asked for a notification. */
function listensTo(request: RequestFacts, method: string): boolean {
  if (request.method !== "subscriptions/listen") return false;
  // A filter that is none, or large, is not held against the server.
  if (request.filter === undefined) return true;
  const asked = request.filter[FILTERS.get(method) ?? ""];
  return asked === true || (Array.isArray(asked) && asked.length > 0);
}

const RELATED_TASK = "io.modelcontextprotocol/related-task";

/** The task that the metadata of a message names; undefined if it names none. */
function relatedTask(frame: Frame, pointer: string): unknown {
  const related = objectAt(frame, frame.range(pointer))?.[RELATED_TASK];
  return isObject(related) ? related["taskId"] : undefined;
}

/** Every rule between messages that is checked, with the section that it comes from. */
export const RULES: readonly Rule[] = [
  {
    id: "progress-token",
    section: "Progress, Behavior Requirements",
    must: FIRST,
    sender: "both",
    kinds: ["notification"],
    methods: ["notifications/progress"],
    broken: ({ frame, sender, facts, whole }) => {
      const key = frame.progressTokenKey;
      const asker = facts.beyond(sender);
      if (key === undefined || asker.tokens.has(key)) return undefined;
      if (asker.tokens.has(otherType(key))) {
        return breach(
          "/params/progressToken",
          "progressToken is of another type than the one that the request gave",
        );
      }
      return whole && !asker.forgotToken
        ? breach("/params/progressToken", "no request has given this progressToken")
        : undefined;
    },
  },
  {
    id: "progress-increases",
    section: "Progress, Progress Flow",
    must: FIRST,
    sender: "both",
    kinds: ["notification"],
    methods: ["notifications/progress"],
    broken: ({ frame, sender, facts }) => {
      const asker = facts.beyond(sender);
      const last = asker.tokens.get(frame.progressTokenKey ?? "")?.last;
      const progress = progressOf(frame);
      if (last === undefined || progress === undefined || progress > last) return undefined;
      return breach("/params/progress", "progress must increase with each notification");
    },
  },
  {
    id: "progress-ends",
    section: "Progress, Implementation Notes",
    must: FIRST,
    sender: "both",
    kinds: ["notification"],
    methods: ["notifications/progress"],
    broken: ({ frame, sender, facts }) => {
      const asker = facts.beyond(sender);
      return asker.tokens.get(frame.progressTokenKey ?? "")?.ended === true
        ? breach(
            "/params/progressToken",
            "the request of this progressToken has its answer, so its progress must stop",
          )
        : undefined;
    },
  },
  {
    id: "server-waits",
    section: "Lifecycle, Initialization",
    until: LAST_LEGACY,
    sender: "server",
    kinds: CALLS,
    broken: ({ frame, facts }) => {
      if (facts.handshake !== "asked" && facts.handshake !== "answered") return undefined;
      const { kind, method } = frame;
      if (method === "ping" || method === "notifications/message") return undefined;
      // After its answer only requests have to wait, until the client says that it is initialized.
      if (kind === "notification" && facts.handshake === "answered") return undefined;
      return breach(
        "/method",
        `${method} comes before the handshake is over; a server sends only ping and log messages then`,
      );
    },
  },
  {
    id: "client-waits",
    section: "Lifecycle, Initialization",
    until: LAST_LEGACY,
    sender: "client",
    kinds: ["request"],
    broken: ({ frame, facts }) =>
      facts.handshake !== "asked" || frame.method === "ping" || frame.method === "initialize"
        ? undefined
        : breach(
            "/method",
            `${frame.method} comes before initialize has its answer; a client sends only ping then`,
          ),
  },
  {
    id: "initialize-goes-on",
    section: "Cancellation, Behavior Requirements",
    until: LAST_LEGACY,
    must: FIRST,
    sender: "client",
    kinds: ["notification"],
    methods: ["notifications/cancelled"],
    broken: ({ frame, facts }) =>
      facts.initialize !== undefined && frame.requestIdKey === facts.initialize
        ? breach("/params/requestId", "initialize must not be cancelled")
        : undefined,
  },
  {
    id: "initialize-once",
    section: "Lifecycle, Initialization",
    until: LAST_LEGACY,
    must: FIRST,
    sender: "client",
    kinds: ["request"],
    methods: ["initialize"],
    broken: ({ facts, whole }) =>
      whole && facts.handshake !== "unseen"
        ? breach("/method", "initialize must be the first request, and was sent before")
        : undefined,
  },
  {
    id: "cancels-known",
    section: "Cancellation, Behavior Requirements",
    must: FIRST,
    // A client's may overtake its request, which is another POST.
    sender: "server",
    kinds: ["notification"],
    methods: ["notifications/cancelled"],
    broken: ({ frame, facts, whole, revision }) => {
      const key = frame.requestIdKey;
      // From 2026-07-28 on a server ends subscriptions, which the client has asked for.
      const side = revision.version >= MODERN ? facts.client : facts.server;
      // Its response may be on the way.
      if (!whole || key === undefined || !side.asked || side.sent(key) !== false) return undefined;
      return side.sent(otherType(key)) === true
        ? breach("/params/requestId", "requestId is of another type than the request's id")
        : breach("/params/requestId", "no request with this id was sent in this direction");
    },
  },
  {
    id: "id-in-use",
    section: "Base Protocol, Requests",
    must: FIRST,
    // Of a client's requests, the gateway finds it by those that wait.
    sender: "server",
    kinds: ["request"],
    broken: ({ frame, facts }) => {
      const known = facts.server.requests.get(frame.idKey ?? "");
      return known === undefined || known.cancelled
        ? undefined
        : breach("/id", "id is in use by a request that has no answer yet");
    },
  },
  {
    id: "server-cancels-subscriptions",
    section: "Cancellation",
    from: MODERN,
    must: MODERN,
    sender: "server",
    kinds: ["notification"],
    methods: ["notifications/cancelled"],
    broken: ({ frame, facts }) => {
      const request = facts.client.requests.get(frame.requestIdKey ?? "");
      return request === undefined || request.method === "subscriptions/listen"
        ? undefined
        : breach("/params/requestId", "a server may cancel only subscriptions/listen");
    },
  },
  {
    id: "client-capability",
    section:
      "Lifecycle, Operation; Elicitation, Capabilities; Sampling, Tools in Sampling; Roots, Capabilities",
    until: LAST_LEGACY,
    must: NEGOTIATED,
    sender: "server",
    kinds: ["request"],
    methods: ["roots/list", "sampling/createMessage", "elicitation/create"],
    broken: ({ frame, facts, revision }) => {
      if (facts.clientCapabilities === undefined) return undefined;
      const parts = inParams(frame, ["mode", "tools", "toolChoice"]);
      const found = missingFor(facts.clientCapabilities, frame.method ?? "", parts, revision);
      return found === undefined ? undefined : lacking(frame.method, "client", found);
    },
  },
  {
    id: "input-capability",
    section: "Multi Round-Trip Requests, Server Requirements",
    from: MODERN,
    must: MODERN,
    sender: "server",
    kinds: ["response"],
    broken: inputLacking,
  },
  {
    id: "result-type",
    section: "Base Protocol, ResultType",
    from: MODERN,
    must: MODERN,
    sender: "server",
    kinds: ["response"],
    broken: ({ frame, request }) => {
      const { resultType } = frame;
      if (
        resultType === undefined ||
        resultType === "complete" ||
        resultType === "input_required"
      ) {
        return undefined;
      }
      const { capabilities } = request ?? {};
      if (capabilities === undefined) return undefined;
      const path = resultType === "task" ? ["extensions", TASKS_EXTENSION] : ["extensions"];
      const extensions = capabilities["extensions"];
      const some =
        typeof extensions === "object" && extensions !== null && Object.keys(extensions).length > 0;
      return some && declares(capabilities, ...path)
        ? undefined
        : breach(
            "/result/resultType",
            "resultType must be complete or input_required, as the client has declared no extension that brings another one",
          );
    },
  },
  {
    id: "task-asked",
    section: "Tasks, Creating Tasks",
    from: "2025-11-25",
    until: LAST_LEGACY,
    must: "2025-11-25",
    sender: "both",
    kinds: ["response"],
    broken: ({ frame, request }) => {
      if (request === undefined || request.asksTask || request.method.startsWith("tasks/"))
        return undefined;
      if (
        frame.range("/result/task") === undefined ||
        frame.range("/result/content") !== undefined
      ) {
        return undefined;
      }
      return breach(
        "/result/task",
        "the request did not ask for a task, so its result must not be one",
      );
    },
  },
  {
    id: "task-metadata",
    section: "Tasks, Associating Task-Related Messages",
    from: "2025-11-25",
    until: LAST_LEGACY,
    must: "2025-11-25",
    sender: "both",
    kinds: ["response"],
    broken: ({ frame, request }) => {
      if (request?.method !== "tasks/result" || request.taskId === undefined) return undefined;
      const named = relatedTask(frame, "/result/_meta");
      if (named === request.taskId) return undefined;
      const what =
        named === undefined ? "must name the task" : "names another task than the request";
      return breach("/result/_meta", `${RELATED_TASK} ${what}`);
    },
  },
  {
    id: "task-metadata-spare",
    section: "Tasks, Associating Task-Related Messages",
    from: "2025-11-25",
    until: LAST_LEGACY,
    sender: "both",
    kinds: CALLS,
    methods: ["tasks/get", "tasks/result", "tasks/cancel", "notifications/tasks/status"],
    broken: ({ frame }) =>
      relatedTask(frame, "/params/_meta") === undefined
        ? undefined
        : breach("/params/_meta", `${RELATED_TASK} is left out where taskId names the task`),
  },
  {
    id: "subscription-acknowledged",
    section: "Subscriptions, Acknowledgment",
    from: MODERN,
    must: MODERN,
    sender: "server",
    kinds: ["notification"],
    methods: [...FILTERS.keys()],
    broken: ({ frame, facts }) => {
      const request = facts.client.requests.get(frame.subscriptionIdKey ?? "");
      return request?.method === "subscriptions/listen" && request.acknowledged !== true
        ? breach("/method", "notifications/subscriptions/acknowledged must come first")
        : undefined;
    },
  },
  {
    id: "subscription-filter",
    section: "Subscriptions, Opening a Stream",
    from: MODERN,
    must: MODERN,
    sender: "server",
    kinds: ["notification"],
    methods: [...FILTERS.keys()],
    broken: ({ frame, facts, whole }) => {
      const { method = "", subscriptionIdKey: key } = frame;
      const own = key === undefined ? undefined : facts.client.requests.get(key);
      // What names no subscription that is known may be about any of them.
      const all = own === undefined ? [...facts.client.requests.values()] : [own];
      if (own === undefined && (!whole || facts.client.forgotRequest)) return undefined;
      return all.some((request) => listensTo(request, method))
        ? undefined
        : breach("/method", `no subscription that is open has asked for ${method}`);
    },
  },
  ...(["tools", "prompts", "resources"] as const).map(
    (list): Rule => ({
      id: `${list}-list-changed`,
      section: "Lifecycle, Operation; List Changed Notification",
      must: NEGOTIATED,
      sender: "server",
      kinds: ["notification"],
      methods: [`notifications/${list}/list_changed`],
      broken: undeclared(list, "listChanged"),
    }),
  ),
  {
    id: "resource-updated",
    section: "Lifecycle, Operation; Resources, Subscriptions",
    until: LAST_LEGACY,
    must: NEGOTIATED,
    sender: "server",
    kinds: ["notification"],
    methods: ["notifications/resources/updated"],
    broken: undeclared("resources", "subscribe"),
  },
  {
    id: "logging",
    section: "Logging, Capabilities",
    must: FIRST,
    sender: "server",
    kinds: ["notification"],
    methods: ["notifications/message"],
    broken: undeclared("logging"),
  },
  {
    id: "log-asked",
    section: "Logging, Per-request log level",
    from: MODERN,
    must: MODERN,
    sender: "server",
    kinds: ["notification"],
    methods: ["notifications/message"],
    broken: ({ facts, whole }) => {
      if (!whole || facts.client.forgotRequest) return undefined;
      const asked = [...facts.client.requests.values()].some(({ asksLogs }) => asksLogs);
      return asked
        ? undefined
        : breach("/method", "no request that waits has asked for log messages");
    },
  },
  {
    id: "server-capability",
    section: "Lifecycle, Operation",
    until: LAST_LEGACY,
    must: NEGOTIATED,
    sender: "client",
    kinds: ["request"],
    methods: [...OF_SERVER.keys()],
    broken: (moment) => {
      const path = OF_SERVER.get(moment.frame.method ?? "") ?? [];
      // The capability came with 2025-03-26.
      if (path[0] === "completions" && moment.revision.version === FIRST) return undefined;
      return undeclared(...path)(moment);
    },
  },
  {
    id: "roots-list-changed",
    section: "Lifecycle, Operation; Roots, Root List Changes",
    until: LAST_LEGACY,
    must: NEGOTIATED,
    sender: "client",
    kinds: ["notification"],
    methods: ["notifications/roots/list_changed"],
    broken: ({ frame, facts }) =>
      facts.clientCapabilities === undefined ||
      declares(facts.clientCapabilities, "roots", "listChanged")
        ? undefined
        : lacking(frame.method, "client", "roots.listChanged"),
  },
];
