import { isObject, joinPointer, parseJson } from "@touchstone/core/advanced";
import { OPEN_OBJECT } from "../../bytes.ts";
import { isResultType, SKILLS_EXTENSION, TASKS_EXTENSION } from "../../extensions.ts";
import type { Frame } from "../../frame.ts";
import type { Sender } from "../../messages/message-table.ts";
import type { Revision } from "../../revisions/revision.ts";
import { type Capabilities, declaresCapability, objectInFrame, paramMembers } from "../facts.ts";
import {
  type ConversationRule,
  FIRST_VERSION,
  LAST_LEGACY,
  MODERN,
  NEGOTIATED,
  type RuleInput,
  type RuleViolation,
  violation,
} from "./rule.ts";

function lacking(
  method: string | undefined,
  side: Sender,
  capability: string,
  at: string = "/method",
): RuleViolation {
  return violation(
    at,
    `${method} needs the ${side}'s capability ${capability}, which it has not declared`,
  );
}

/** Longer content is not read. It counts as having text, and so does content that is not JSON. */
const MAX_CONTENT = 16_384;

/** Returns whether the content of a result has a block of text, or cannot be read. */
function mayHaveText(frame: Frame): boolean {
  const content = frame.range("/result/content");
  if (content === undefined) return false;
  if (content.end - content.start > MAX_CONTENT) return true;
  // In a message with too many keys, the content after them was not scanned, so it may be invalid JSON.
  const parsed = parseJson(frame.text(content));
  if (!parsed.ok) return true;
  const { value } = parsed;
  return Array.isArray(value) && value.some((block) => isObject(block) && block["type"] === "text");
}

/** Returns a check for messages that are allowed only if the server has declared a capability. */
function undeclared(...path: readonly string[]): ConversationRule["broken"] {
  return ({ frame, facts }) =>
    facts.serverCapabilities === undefined || declaresCapability(facts.serverCapabilities, ...path)
      ? undefined
      : lacking(frame.method, "server", path.join("."));
}

/** Source texts of the params of a request for input on which the capability depends that it needs. */
export interface InputParts {
  readonly mode?: string | undefined;
  readonly tools?: string | undefined;
  readonly toolChoice?: string | undefined;
}

/** Returns the capability that a request for input needs and the client lacks. */
export function missingInputCapability(
  capabilities: Capabilities,
  method: string,
  { mode, tools, toolChoice }: InputParts,
  revision: Revision,
): string | undefined {
  if (capabilities === undefined) return undefined;
  const has = (...path: string[]): boolean => declaresCapability(capabilities, ...path);
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
      // An empty object means forms (Elicitation, Capabilities).
      const forms = has("elicitation", "form") || !has("elicitation", "url");
      return forms ? undefined : "elicitation.form";
    }
    default:
      return undefined;
  }
}

/** Returns whether a request asks for input in a way that its revision does not have. */
function isBeforeElicitation(method: string, { version }: Revision): boolean {
  return method === "elicitation/create" && version < NEGOTIATED;
}

/** Returns the first request for input in a result whose capability the client lacks. */
function inputLacking({ frame, request, revision }: RuleInput): RuleViolation | undefined {
  if (frame.resultType !== "input_required") return undefined;
  const requests = objectInFrame(frame, frame.range("/result/inputRequests"));
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
    const found = missingInputCapability(request.capabilities, method, parts, revision);
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

/** Requests that a client may send only if the server has declared a capability, each with that capability. */
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

/** Rules about messages that are allowed only if a peer has declared a capability or asked for them. */
export const CAPABILITIES: readonly ConversationRule[] = [
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
      const { method = "" } = frame;
      if (facts.clientCapabilities === undefined || isBeforeElicitation(method, revision)) {
        return undefined;
      }
      const parts = paramMembers(frame, ["mode", "tools", "toolChoice"]);
      const found = missingInputCapability(facts.clientCapabilities, method, parts, revision);
      return found === undefined ? undefined : lacking(method, "client", found);
    },
  },
  {
    // These revisions lack the method, but clients register a handler for it whichever revision they negotiate.
    id: "elicitation-capability",
    section: "Lifecycle, Operation; Elicitation, Capabilities",
    until: "2025-03-26",
    must: FIRST_VERSION,
    sender: "server",
    kinds: ["request"],
    methods: ["elicitation/create"],
    broken: ({ frame, facts }) =>
      facts.clientCapabilities === undefined ||
      declaresCapability(facts.clientCapabilities, "elicitation")
        ? undefined
        : lacking(frame.method, "client", "elicitation"),
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
      const { capabilities } = request ?? {};
      if (resultType === undefined || capabilities === undefined) return undefined;
      const extensions = capabilities["extensions"];
      const any =
        typeof extensions === "object" && extensions !== null && Object.keys(extensions).length > 0;
      const tasks = declaresCapability(capabilities, "extensions", TASKS_EXTENSION);
      return isResultType(resultType, { tasks, any })
        ? undefined
        : violation(
            "/result/resultType",
            "resultType must be complete or input_required, as the client has declared no extension that adds another one",
          );
    },
  },
  {
    id: "structured-text",
    section: "Tools, Structured Content; SEP-2106, Backward Compatibility",
    from: MODERN,
    sender: "server",
    kinds: ["response"],
    broken: ({ frame, request }) => {
      const structured = frame.range("/result/structuredContent");
      if (structured === undefined || request?.method !== "tools/call") return undefined;
      if (frame.bytes[structured.start] === OPEN_OBJECT || mayHaveText(frame)) return undefined;
      const { resultType = "complete" } = frame;
      if (resultType !== "complete") return undefined;
      return violation(
        "/result/content",
        "structured content that is not an object comes with a block of text, since clients of older revisions read only objects",
      );
    },
  },
  ...(["tools", "prompts", "resources"] as const).map(
    (list): ConversationRule => ({
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
    must: FIRST_VERSION,
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
      return asked ? undefined : violation("/method", "no open request has asked for log messages");
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
      // The capability was added in 2025-03-26.
      if (path[0] === "completions" && moment.revision.version === FIRST_VERSION) return undefined;
      return undeclared(...path)(moment);
    },
  },
  {
    id: "directory-read",
    section: "Skills (SEP-2640), Capability Negotiation",
    from: MODERN,
    must: MODERN,
    sender: "client",
    kinds: ["request"],
    methods: ["resources/directory/read"],
    broken: undeclared("extensions", SKILLS_EXTENSION, "directoryRead"),
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
      declaresCapability(facts.clientCapabilities, "roots", "listChanged")
        ? undefined
        : lacking(frame.method, "client", "roots.listChanged"),
  },
];
