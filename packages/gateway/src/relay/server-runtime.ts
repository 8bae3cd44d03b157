import { createHash, randomBytes } from "node:crypto";
import { type Frame, LATEST_LEGACY, revisionOf } from "@touchstone/protocol/advanced";
import type { ContractScope } from "@touchstone/records/plain";
import type { ActivityEntry } from "@touchstone/records/record";
import {
  BoundedMap,
  type Logger,
  type PacedLog,
  type Sender,
  serverLogger,
} from "@touchstone/util";
import { ContractCatalogue, RepeatedToolsLog } from "../contracts/contract-catalogue.ts";
import { ContractSource } from "../contracts/contract-source.ts";
import { KnownToolLists } from "../contracts/known-lists.ts";
import { LastToolList, type SentToolList } from "../contracts/last-tool-list.ts";
import { ListChangeNotices } from "../contracts/notices.ts";
import { ListTimeouts, type SendOwnRequest } from "../contracts/own-request.ts";
import { ContractPool } from "../contracts/pool.ts";
import { bridgeOf } from "../features/bridge/bridge.ts";
import type { Caller } from "../features/caller.ts";
import { limitsFor } from "../features/caller.ts";
import type { ListViewer } from "../features/list-step.ts";
import { decidePin } from "../features/pin/decide.ts";
import { Pins } from "../features/pin/pins.ts";
import { explainHeldTool } from "../features/pin/text.ts";
import { decideTool, type NamedTool, policyFor } from "../features/tool-lists/decide.ts";
import type { TaskMap } from "../pipeline/context.ts";
import { CallDecision, type CallDecisionParts } from "../pipeline/decide-call.ts";
import {
  createElicitationForms,
  type ElicitationForms,
  formsOfSender,
} from "../pipeline/elicitation.ts";
import { limitIssue, refusedText } from "../pipeline/messages.ts";
import { type Conversation, Pipeline, type PipelineContext } from "../pipeline/pipeline.ts";
import { type RefusedArguments, settleRefused } from "../pipeline/settle.ts";
import { readArrivedFrame } from "../pipeline/stages/decode.ts";
import { createSessionTasks, createTaskMap, tasksOf } from "../pipeline/tasks.ts";
import { isAboutArguments } from "../policy/decide.ts";
import { hintLines } from "../policy/explain.ts";
import { UpstreamStatus } from "../transport/upstream-status.ts";
import type { Pause } from "./pause.ts";
import { type GatewayParts, type ServerSettings, serverContext } from "./server-context.ts";

/** How many lists to keep: revisions times clients with their own authorization. */
const MAX_SOURCES = 1_000;
const MAX_DIAGNOSED = 10_000;

/** Returns `sha256:` and the hex digest of a text that must not be kept itself. */
export function hashSecret(secret: string): string {
  return `sha256:${createHash("sha256").update(secret).digest("hex")}`;
}

/** A client may name any revision: unknown ones share one list, so that none is kept for each. */
function knownRevision(revision: string | undefined): string {
  return (revision === undefined ? undefined : revisionOf(revision)?.version) ?? "";
}

/** A call that no conversation has got yet. */
export interface IncomingCall extends Pick<RefusedArguments, "tool" | "body" | "client"> {
  readonly caller: Caller | undefined;
}

/** What came of arguments that were refused. */
export interface RefusedArgumentsOutcome {
  /** What the client receives. */
  readonly text: string;
  readonly entries: readonly ActivityEntry[];
  /** Seconds until the call may be sent again, if it is over a limit. */
  readonly retryAfter?: number;
}

/** A list of tools, and what decides how a client sees it. */
export interface ViewedToolList extends Pick<PipelineContext, "maxTools" | "slice"> {
  /** Undefined if the server has sent none. */
  readonly list: SentToolList | undefined;
  readonly viewer: ListViewer;
}

/** The two peers of a conversation. */
type Owner = Pick<Conversation, "caller" | "isBound">;

/** One upstream server: makes the conversations with it and what they share. */
export class ServerRuntime {
  readonly name: string;
  /** The server's status. */
  readonly status: UpstreamStatus = new UpstreamStatus(
    (reason) => void this.recordChange({ status: "error", reason }),
  );
  /** The server's tools, for people to view. */
  readonly catalogue: ContractCatalogue;
  readonly #last: LastToolList = new LastToolList();
  readonly #revisions: Set<string> = new Set();
  readonly #bridged: Set<string> = new Set();
  readonly #notices: ListChangeNotices = new ListChangeNotices();
  #settings: ServerSettings;
  readonly #context: PipelineContext;
  readonly #parts: GatewayParts;
  readonly #diagnosed: BoundedMap<string, true> = new BoundedMap(MAX_DIAGNOSED);
  /** Shared by all conversations with the server: one request makes a task, another one fetches it. */
  readonly #tasks: TaskMap = createTaskMap();
  readonly #elicited: ElicitationForms = createElicitationForms();
  readonly #shared: BoundedMap<string, ContractSource> = new BoundedMap(MAX_SOURCES);
  readonly #pool: ContractPool = new ContractPool();
  readonly #lists: KnownToolLists = new KnownToolLists();
  readonly #pins: Pins | undefined;
  readonly #silence: ListTimeouts = new ListTimeouts();
  readonly #learning: Set<Promise<unknown>> = new Set();
  #newest: ContractSource | undefined;

  constructor(server: ServerSettings, given: GatewayParts) {
    const parts = { ...given, log: serverLogger(given.log, server.name) };
    this.name = server.name;
    this.#settings = server;
    this.#parts = parts;
    this.catalogue = new ContractCatalogue(undefined, new RepeatedToolsLog(server.name, parts.log));
    const { log, pins: store } = parts;
    const pinSettings = () => this.#settings.settings.pin;
    this.#pins = store && new Pins({ server: server.name, settings: pinSettings, store, log });
    this.#context = serverContext(server, parts, () => this.#settings, this.#lists, this.#pins);
  }

  /** The MCP revisions in which tools were listed or called, oldest first. */
  get revisions(): readonly string[] {
    return [...this.#revisions].sort();
  }

  /** `name/version` as the server introduced itself last; undefined if it has not. */
  get identity(): string | undefined {
    return this.#context.introduction?.identity;
  }

  get log(): Logger {
    return this.#parts.log;
  }

  /** For lines about single requests, which may be many. */
  get paced(): PacedLog {
    return this.#context.paced;
  }

  /** The server's current pause. */
  get pause(): Pause | undefined {
    return this.#parts.pause?.(this.name);
  }

  /** Whether clients of earlier revisions reach the server although it refuses them (`bridge`). */
  get bridges(): boolean {
    return bridgeOf(this.#settings.settings) === "auto";
  }

  /** Notes that a client is bridged; the log says so once. @param pair its revision and the server's */
  readonly bridged = (pair: string): void => {
    if (this.#bridged.has(pair)) return;
    this.#bridged.add(pair);
    const [client, server] = pair.split(">");
    this.log.info(
      `${this.name}: clients of ${client} are bridged: the server refuses initialize and speaks ${server} (bridge)`,
    );
  };

  /** Calls back after each change of the tools that `pin` holds back. @returns ends it */
  watchHeld(changed: () => void): () => void {
    return this.#pins?.watch(changed) ?? (() => {});
  }

  /** Notes that a list has changed since it was learned; all lists, without a scope. */
  listChanged(scope: ContractScope | undefined): void {
    this.#notices.take(scope);
  }

  /**
   * Counts a call for rate limits before a conversation gets it. Returns what came of it if it is over a limit;
   * undefined if it may go on.
   */
  admit({ tool, body, client, caller }: IncomingCall): RefusedArgumentsOutcome | undefined {
    const { gates, now } = this.#context;
    const { server, toolLimits } = this.#context.snapshot();
    const limits = [...limitsFor(server, caller), ...(toolLimits?.of(tool) ?? [])];
    const over = gates.take(limits, { server: this.name, caller: caller?.name, now: now() });
    if (over === undefined) return undefined;
    const rejection = over.message;
    const text = refusedText(tool, rejection);
    const entries = settleRefused(this.#context, {
      ...{ tool, body, client, caller: caller?.name, text, rejection },
      ...{ schemaHash: undefined, repeated: false },
      check: { outcome: "violation", errors: [limitIssue(over)] },
    });
    return { text, entries, retryAfter: over.retryAfter };
  }

  /** Settles arguments that were refused before a conversation got them. */
  refused(refused: Omit<RefusedArguments, "schemaHash" | "repeated">): RefusedArgumentsOutcome {
    const { tool, body, check, client, caller } = refused;
    const contract = this.catalogue.newest(tool);
    const { refusals, snapshot } = this.#context;
    const who = { client, caller: caller === undefined ? undefined : { name: caller } };
    const repeated = isAboutArguments(check) && refusals?.repeats(body, tool, who) === true;
    const isShown = isAboutArguments(check) && snapshot().of(tool).input.showSchema === "small";
    const schema = isShown ? contract?.inputText : undefined;
    const text = [refused.text, ...hintLines({ repeated, schema })].join("\n");
    const settled = { ...refused, text, repeated, schemaHash: contract?.inputHash };
    return { text, entries: settleRefused(this.#context, settled) };
  }

  /**
   * Why a tool is missing in the list that clients get, and how to approve it; undefined if it is not held, or if policy
   * hides it from the caller.
   */
  whyHeld(tool: string, caller: Caller | undefined): string | undefined {
    const { pin } = this.#context.snapshot().server;
    const contract = this.catalogue.newest(tool);
    if (pin === undefined || contract === undefined) return undefined;
    if (!this.allows({ name: tool, isReadOnly: contract.isReadOnly }, caller)) return undefined;
    const decision = decidePin(pin, { contract }, this.#pins);
    if (decision.decision !== "blocked") return undefined;
    return explainHeldTool(tool, this.name, decision);
  }

  /** Returns whether policy allows a caller to list and call a tool. */
  allows(tool: NamedTool, caller: Caller | undefined): boolean {
    return (
      decideTool(policyFor(this.#context.snapshot().server, caller), tool).decision !== "blocked"
    );
  }

  /** Records a change of the server; if that fails, the log says why. Never rejects. */
  async recordChange(
    change: Pick<ActivityEntry, "status" | "reason" | "client" | "caller">,
  ): Promise<void> {
    const { name: server, paced } = this;
    const entry = { type: "server_change", source: "gateway", server } as const;
    try {
      await this.#parts.activity.append([{ ...entry, ...change }]);
    } catch (error) {
      const lost = "activity could not be recorded";
      paced.error(`${server}: ${lost}`, lost, { server, reason: String(error) });
    }
  }

  /** Applies other settings from the next message on. */
  update({
    settings,
    tools,
    validation,
  }: Pick<ServerSettings, "settings" | "tools" | "validation">): void {
    this.#settings = { ...this.#settings, settings, tools, validation };
  }

  /**
   * A conversation with its own lists: one client and one session of the server's.
   * @param session the session's id; a random one if the transport has none
   */
  ownConversation(session: string = randomBytes(16).toString("hex")): Conversation {
    const sources = new Map<string, ContractSource>();
    const contracts = (revision: string | undefined): ContractSource => {
      const key = knownRevision(revision);
      const source = sources.get(key) ?? this.#source(key, "");
      sources.set(key, source);
      return source;
    };
    return { contracts, session: hashSecret(session) };
  }

  /**
   * A conversation in a session of a server that all its clients share: it has its own lists, and another session may
   * fetch the task that it made.
   */
  sessionConversation(session: string | undefined, by: Owner): Conversation {
    const tasks = createSessionTasks(tasksOf(this.#tasks, by.caller));
    return { ...this.ownConversation(session), ...by, tasks };
  }

  /**
   * A conversation without a session: it shares lists with the same authorization, and tasks with the same caller.
   * @param authorization the client's credentials; only a hash is kept
   */
  sharedConversation(authorization: string | undefined, by: Owner = {}): Conversation {
    const who = authorization === undefined ? "" : hashSecret(authorization);
    const contracts = (revision: string | undefined): ContractSource => {
      const known = knownRevision(revision);
      const key = `${known}\n${who}`;
      const source = this.#shared.get(key) ?? this.#source(known, who);
      this.#shared.set(key, source);
      return source;
    };
    const tasks = tasksOf(this.#tasks, by.caller);
    const elicited = (): ElicitationForms =>
      formsOfSender(this.#elicited, JSON.stringify([by.caller?.name ?? null, who]));
    return { contracts, ...by, tasks, elicited, credentials: who };
  }

  /** Resolves when it is a client's turn to have a large message read; undefined if it is now. */
  turnOf(sender: Sender): Promise<void> | undefined {
    return this.#context.slice.turnOf(sender);
  }

  /** Returns a view of a client frame, for a transport that must find out whose it is. */
  read(bytes: Uint8Array): Frame {
    return readArrivedFrame(this.#context, bytes, ({ toolName }) => toolName);
  }

  /** Whether the gateway itself, instead of the server, may answer a call. */
  mayAnswer({ toolName }: Frame): boolean {
    return this.#settings.validation?.isNamed(toolName) === true;
  }

  /** Returns the MCP revision of the newest list; undefined if there is none. */
  listedIn(): string | undefined {
    return this.#newest?.scope.revision;
  }

  /** Returns whether the server's list must be fetched before a call of a tool can be checked. */
  needsList(tool: string): boolean {
    return this.#newest?.needs(tool) ?? true;
  }

  /**
   * Begins to decide about one call that is not sent: the newest list from any conversation applies, else the kept one.
   * @param log receives the records of the call; without it, the call leaves no trace
   * @param revision the MCP revision to check by; default: 2025-11-25
   */
  decision({
    by,
    log,
    caller,
    revision = LATEST_LEGACY.version,
  }: Pick<CallDecisionParts, "by" | "log"> & {
    readonly caller: Caller | undefined;
    readonly revision?: string | undefined;
  }): CallDecision {
    const shared = this.sharedConversation(undefined);
    const conversation: Conversation = {
      contracts: (revision) => this.#newest ?? shared.contracts(revision),
      revision,
      caller,
    };
    const context = this.#context;
    return new CallDecision({ context, conversation, by, log, diagnosed: this.#diagnosed });
  }

  /** Returns the list that the server sent last, with all that decides what a client gets of it. */
  lookAt({ client, caller }: Pick<ListViewer, "client" | "caller">): ViewedToolList {
    const { maxTools, slice } = this.#context;
    const { of: settings, narrowings, strictInput } = this.#context.snapshot();
    const source = this.#newest ?? this.sharedConversation(undefined).contracts(undefined);
    const viewer: ListViewer = {
      ...{ server: this.name, settings, client, caller, source },
      revision: source.scope.revision,
      pins: this.#pins,
      callersDiffer: this.#context.callersDiffer?.() === true,
      narrowings,
      strictInput,
      // Nothing is asked of the server: what is known of its list is what is shown.
      learnAll: () => undefined,
    };
    return { list: this.#last.list, viewer, maxTools, slice };
  }

  pipeline(conversation: Conversation, ask: SendOwnRequest): Pipeline {
    return new Pipeline(this.#context, conversation, ask, { diagnosed: this.#diagnosed });
  }

  /** Resolves when the lists that came are stored, which needs the records open. Never rejects. */
  async learned(): Promise<void> {
    await Promise.allSettled(this.#learning);
  }

  #source(revision: string, authorization: string): ContractSource {
    if (revision !== "") this.#revisions.add(revision);
    const { cache, contracts, log } = this.#parts;
    const { now } = this.#context;
    const scope = { server: this.name, revision, authorization };
    const listed: ContractCatalogue["learn"] = (...list) => {
      this.#newest = source;
      this.catalogue.learn(...list);
    };
    const notices = () => this.#notices.of(scope);
    const [lists, pool, silence] = [this.#lists, this.#pool, this.#silence];
    const learning = this.#learning;
    const { maxTools } = this.#settings;
    const sent = (page: Uint8Array, isFirst: boolean): void =>
      this.#last.take(source, page, isFirst);
    const source = new ContractSource({
      ...{
        scope,
        cache,
        store: contracts,
        log,
        now,
        notices,
        listed,
        sent,
        lists,
        pool,
        silence,
        learning,
      },
      ...(maxTools === undefined ? {} : { maxTools }),
      ...(this.#pins === undefined ? {} : { pins: this.#pins }),
    });
    return source;
  }
}
