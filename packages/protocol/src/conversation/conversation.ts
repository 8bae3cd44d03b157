import { escapePointer, type Issue, isObject } from "@touchstone/core/advanced";
import type { Frame } from "../frame.ts";
import { protocolIssue } from "../issue.ts";
import type { Sender } from "../messages/message-table.ts";
import { META_CLIENT_CAPABILITIES, META_LOG_LEVEL } from "../plan.ts";
import type { Revision } from "../revisions/revision.ts";
import { revisionOf } from "../revisions/revisions.ts";
import { ConversationFacts, objectInFrame, progressOf, type RequestFacts } from "./facts.ts";
import type { ConversationRule } from "./rules/rule.ts";
import { RULES } from "./rules.ts";

const CAPABILITIES = `/params/_meta/${escapePointer(META_CLIENT_CAPABILITIES)}`;
const LOG_LEVEL = `/params/_meta/${escapePointer(META_LOG_LEVEL)}`;

/** Who sent a message, and under which revision. */
export interface MessageContext {
  readonly sender: Sender;
  /** The revision, or its `protocolVersion`. If it is unknown, no rule is applied. */
  readonly revision: Revision | string | undefined;
  /** The key of the id of the request that a response belongs to, if known. */
  readonly answers?: string | undefined;
  /** Whether all messages of both sides were seen from the beginning of the connection. Default false. */
  readonly whole?: boolean | undefined;
}

/** The rules between messages that a message breaks. */
export interface RuleViolations {
  /** What the specification forbids (MUST, MUST NOT). */
  readonly errors: readonly Issue[];
  /** What it advises against (SHOULD, SHOULD NOT). */
  readonly advice: readonly Issue[];
}

const NONE: RuleViolations = { errors: [], advice: [] };

/**
 * Checks the rules between the messages of one connection: what may follow what, according to the sections of the
 * specification that {@link RULES} names. It remembers what it needs of the handshake, of 1,000 requests and of 1,000
 * progress tokens of each side. It never reports a breach based on what it has not seen.
 */
export class ConversationRules {
  readonly #facts = new ConversationFacts();

  /** Returns which rules a message breaks. Changes nothing. */
  judge(frame: Frame, said: MessageContext): RuleViolations {
    const revision = typeof said.revision === "string" ? revisionOf(said.revision) : said.revision;
    if (revision === undefined || frame.scan.error !== undefined) return NONE;
    const { sender, answers, whole = false } = said;
    const facts = this.#facts;
    const asker = facts.beyond(sender);
    const request = answers === undefined ? undefined : asker.requests.get(answers);
    // If the session began on another connection, its earlier messages were not seen here.
    const seen = whole && (!revision.handshake || facts.handshake !== "unseen");
    const moment = { frame, sender, revision, facts, request, whole: seen };
    const errors: Issue[] = [];
    const advice: Issue[] = [];
    for (const rule of rulesFor(frame, sender, revision)) {
      const broken = rule.broken(moment);
      if (broken === undefined) continue;
      const issue = protocolIssue(broken.path, broken.message, rule.id);
      const isForbidden = rule.must !== undefined && revision.version >= rule.must;
      (isForbidden ? errors : advice).push(issue);
    }
    return errors.length === 0 && advice.length === 0 ? NONE : { errors, advice };
  }

  /** Records a message that is passed on to the other side. */
  note(frame: Frame, { sender, answers }: MessageContext): void {
    const { kind } = frame;
    if (kind === "request") this.#request(frame, sender);
    else if (kind === "notification") this.#notification(frame, sender);
    else if (kind === "response" || kind === "error") this.#answer(frame, sender, answers);
  }

  #request(frame: Frame, sender: Sender): void {
    const { idKey, method = "" } = frame;
    if (idKey === undefined) return;
    const facts = this.#facts;
    const side = facts.of(sender);
    const token = frame.progressTokenKey;
    const request: RequestFacts = {
      method,
      token,
      asksTask: frame.range("/params/task") !== undefined,
      capabilities: objectInFrame(frame, frame.range(CAPABILITIES)),
      asksLogs: frame.range(LOG_LEVEL) !== undefined,
      taskId: method.startsWith("tasks/") ? frame.taskId : undefined,
      filter: method === "subscriptions/listen" ? filterOf(frame) : undefined,
    };
    side.asks(idKey, request);
    if (sender !== "client" || method !== "initialize") return;
    facts.initialize = idKey;
    facts.handshake = "asked";
    facts.clientCapabilities = objectInFrame(frame, frame.range("/params/capabilities"));
    facts.serverCapabilities = undefined;
  }

  #notification(frame: Frame, sender: Sender): void {
    const facts = this.#facts;
    if (frame.method === "notifications/initialized" && facts.handshake === "answered") {
      facts.handshake = "done";
    }
    const { requestIdKey, subscriptionIdKey } = frame;
    if (frame.method === "notifications/cancelled") {
      const cancelled = facts.of(sender).requests.get(requestIdKey ?? "");
      if (cancelled !== undefined) cancelled.cancelled = true;
    }
    if (frame.method === "notifications/subscriptions/acknowledged") {
      const listening = facts.client.requests.get(subscriptionIdKey ?? "");
      if (listening !== undefined) listening.acknowledged = true;
    }
    if (frame.method !== "notifications/progress") return;
    const asker = facts.beyond(sender);
    const token = asker.tokens.get(frame.progressTokenKey ?? "");
    if (token !== undefined) token.last = progressOf(frame) ?? token.last;
  }

  #answer(frame: Frame, sender: Sender, answers: string | undefined): void {
    const facts = this.#facts;
    const asker = facts.beyond(sender);
    const request = answers === undefined ? undefined : asker.requests.get(answers);
    if (request === undefined || answers === undefined) return;
    asker.ends(answers);
    const token = request.token === undefined ? undefined : asker.tokens.get(request.token);
    // The progress of a task continues under the token of the request that created the task.
    if (token !== undefined && !frame.announcesTask) token.ended = true;
    if (sender !== "server") return;
    if (frame.kind === "error" && request.method === "initialize") {
      // The client may try another revision.
      facts.handshake = "unseen";
      facts.initialize = undefined;
    }
    if (frame.kind !== "response") return;
    if (request.method !== "initialize" && request.method !== "server/discover") return;
    facts.serverCapabilities = objectInFrame(frame, frame.range("/result/capabilities"));
    if (request.method === "initialize") facts.handshake = "answered";
  }
}

/** Returns what a `subscriptions/listen` asks for. */
function filterOf(frame: Frame): RequestFacts["filter"] {
  const filter = objectInFrame(frame, frame.range("/params"))?.["notifications"];
  return isObject(filter) ? filter : undefined;
}

type ByMethod = Map<string, readonly ConversationRule[]>;
type BySender = Readonly<Record<Sender, Map<Frame["kind"], ByMethod>>>;

const byMessage = new WeakMap<Revision, BySender>();

/** Returns the rules of a revision about messages of a kind and a method. Few methods have rules. */
function rulesFor(
  { kind, method = "" }: Frame,
  sender: Sender,
  revision: Revision,
): readonly ConversationRule[] {
  // Nested maps, because a text key would have to be made for each message.
  let bySender = byMessage.get(revision);
  if (bySender === undefined) {
    bySender = { client: new Map(), server: new Map() };
    byMessage.set(revision, bySender);
  }
  let byMethod = bySender[sender].get(kind);
  if (byMethod === undefined) {
    byMethod = new Map();
    bySender[sender].set(kind, byMethod);
  }
  const name = NAMED.has(method) ? method : "";
  const known = byMethod.get(name);
  if (known !== undefined) return known;
  const rules = RULES.filter(
    (rule) =>
      (rule.sender === "both" || rule.sender === sender) &&
      rule.kinds.includes(kind) &&
      (rule.methods === undefined || rule.methods.includes(name)) &&
      revision.version >= (rule.from ?? "") &&
      revision.version <= (rule.until ?? "9"),
  );
  byMethod.set(name, rules);
  return rules;
}

const NAMED: ReadonlySet<string> = new Set(RULES.flatMap(({ methods = [] }) => methods));
