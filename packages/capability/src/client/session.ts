import { isObject, type SchemaCache } from "@touchstone/core/advanced";
import { type Announcement, CAPABILITY_VERSION, readAnnouncement } from "../announcement.ts";
import { type ArgumentLimits, judgeArguments } from "../schema-level.ts";
import type { Findings } from "../validation-result.ts";
import { askServer, type ServerCallToCheck } from "./ask-server.ts";
import { canonicalText } from "./canonical.ts";
import { ListedTools, type RequestLimits } from "./listed-tools.ts";
import type { NativeResult } from "./read-answer.ts";
import { joinVerdicts, type ToolValidation, uncheckedResult, withTestRun } from "./result.ts";
import {
  capabilitiesOf,
  listenToNotifications,
  type RemoteTool,
  type RemoteTools,
  transportOf,
  type ValidationClient,
} from "./sdk-client.ts";
import { testRun } from "./test-run.ts";
import { type Clock, ValidationCache } from "./validation-cache.ts";

/** The parts that all sessions of a validator share. */
export interface SessionOptions {
  readonly schemas: SchemaCache;
  readonly now: Clock;
  readonly warn: (message: string) => void;
  readonly maxCached: number;
  readonly limits: ArgumentLimits | undefined;
}

/** How many lines to log about one connection, so that a server cannot fill the log. */
const MAX_REASONS = 20;

interface Prepared {
  readonly call: ServerCallToCheck;
  /** The verdict of the tool's schema, or why it could not be fetched. */
  readonly schema: Findings | string;
  /** The verdict's key in the cache; absent if it cannot be cached. */
  readonly key: string | undefined;
}

/** One server: its tools, its announcement, and its reusable verdicts. */
export class ServerSession {
  readonly #name: string;
  readonly #client: ValidationClient;
  readonly #options: SessionOptions;
  readonly #verdicts: ValidationCache;
  readonly #logged: Set<string> = new Set();
  readonly #tools: ListedTools;
  #transport: object | undefined;
  #causes: ReadonlySet<string> = new Set();

  constructor(name: string, client: ValidationClient, options: SessionOptions) {
    this.#name = name;
    this.#client = client;
    this.#options = options;
    this.#verdicts = new ValidationCache(options.maxCached, options.now);
    this.#tools = new ListedTools(client, options.now);
  }

  get capabilities(): unknown {
    return capabilitiesOf(this.#client);
  }

  /** Handles a notification: drops the data that it makes stale. */
  notified(method: string): void {
    if (method === "notifications/tools/list_changed") {
      this.#tools.markStale();
      this.#verdicts.clear();
    } else if (
      method === "notifications/resources/updated" &&
      this.#causes.has("resource_change")
    ) {
      this.#verdicts.clear();
    }
  }

  /** Starts over when the client has reconnected, possibly to another server. */
  #attach(): void {
    const transport = transportOf(this.#client);
    if (transport === this.#transport) return;
    this.#transport = transport;
    this.notified("notifications/tools/list_changed");
    this.#logged.clear();
    if (transport === undefined) return;
    listenToNotifications(transport, (method) => {
      if (this.#transport === transport) this.notified(method);
    });
  }

  /** Logs each text once. */
  #log(text: string): void {
    if (this.#logged.has(text) || this.#logged.size > MAX_REASONS) return;
    this.#logged.add(text);
    // The number of lines is limited, because a server may give a different reason each time.
    const line = this.#logged.size > MAX_REASONS ? "no further reasons are logged" : text;
    this.#options.warn(`${this.#name}: ${line}`);
  }

  #logFallback(status: string, detail: string): void {
    this.#log(`calls are checked by their schemas only: ${detail} (${status})`);
  }

  #announcement(): Announcement | string {
    const announcement = readAnnouncement(this.capabilities);
    if (announcement === undefined)
      return "the server does not announce experimental.toolValidation";
    const [major] = announcement.version.split(".");
    if (major === CAPABILITY_VERSION.split(".")[0]) return announcement;
    return `the server announces version ${announcement.version.slice(0, 20)}, but only ${CAPABILITY_VERSION} is supported`;
  }

  /**
   * Validates calls of this server, in order. Never rejects.
   * @param runs whether to call the tool of each valid call once, one after the other
   */
  async validate(
    calls: readonly ServerCallToCheck[],
    limits: RequestLimits,
    runs = false,
  ): Promise<readonly ToolValidation[]> {
    this.#attach();
    const list = await this.#tools.list(limits);
    if (typeof list === "string") this.#log(`calls are not checked by their schemas: ${list}`);
    const tools = typeof list === "string" ? undefined : list.tools;
    const announcement = this.#announcement();
    if (typeof announcement === "string") this.#logFallback("not_supported", announcement);
    else this.#causes = announcement.invalidateOn;

    const known = calls.filter((call) => tools === undefined || tools.has(call.tool));
    const prepared = known.map((call) => prepare(call, list, this.#options));
    const natives =
      typeof announcement === "string"
        ? prepared.map((): NativeResult => ({ status: "not_supported", detail: announcement }))
        : await this.#native(prepared, announcement, tools?.get(announcement.method), limits);
    const results = new Map<ServerCallToCheck, ToolValidation>();
    for (const [i, { call, schema }] of prepared.entries()) {
      const native = natives[i];
      if (native === undefined) continue;
      const joined = joinVerdicts(schema, native);
      results.set(call, runs ? await this.#tested(call, joined, tools, limits) : joined);
    }
    return calls.map(
      (call) => results.get(call) ?? uncheckedResult(`Tool not found: ${call.address}`),
    );
  }

  /** Calls the tool of a valid call once. */
  async #tested(
    call: ServerCallToCheck,
    joined: ToolValidation,
    tools: RemoteTools["tools"] | undefined,
    limits: RequestLimits,
  ): Promise<ToolValidation> {
    if (!joined.valid) return joined;
    const { schemas, now } = this.#options;
    const { tool: name, arguments: args } = call;
    const made = { client: this.#client, name, tool: tools?.get(name), arguments: args };
    return withTestRun(joined, await testRun({ ...made, schemas, now }, limits));
  }

  async #native(
    prepared: readonly Prepared[],
    announcement: Announcement,
    declared: RemoteTool | undefined,
    limits: RequestLimits,
  ): Promise<readonly NativeResult[]> {
    const { generation } = this.#verdicts;
    const answers = new Map<Prepared, NativeResult>();
    for (const one of prepared) {
      const verdict = one.key === undefined ? undefined : this.#verdicts.get(one.key);
      if (verdict !== undefined) answers.set(one, { status: "ok", verdict });
      else if (!isSendable(one.call.arguments)) {
        answers.set(one, {
          status: "failed",
          detail: "not asked: the arguments are not a JSON object",
        });
      }
    }
    const open = prepared.filter((one) => !answers.has(one));
    const asking = { client: this.#client, announcement, declared, ...limits };
    const asked = await askServer(
      asking,
      open.map(({ call }) => call),
    );
    for (const [i, one] of open.entries()) {
      const answer = asked[i];
      if (answer === undefined) continue;
      answers.set(one, answer);
      if (answer.status !== "ok") this.#logFallback(answer.status, answer.detail);
      else if (one.key !== undefined) {
        this.#verdicts.set(one.key, answer.verdict, announcement.keepMs, generation);
      }
    }
    const none: NativeResult = { status: "failed", detail: "no answer" };
    return prepared.map((one) => answers.get(one) ?? none);
  }
}

function isSendable(value: unknown): boolean {
  try {
    return isObject(value) && JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}

function prepare(
  call: ServerCallToCheck,
  list: RemoteTools | string,
  { schemas, limits }: SessionOptions,
): Prepared {
  if (typeof list === "string") return { call, schema: list, key: undefined };
  const tool = list.tools.get(call.tool);
  if (tool === undefined) return { call, schema: "the tool is not listed", key: undefined };
  const compiled = schemas.get({ value: tool.inputSchema });
  const found = judgeArguments(compiled, call.arguments, limits);
  const { outputSchema } = tool;
  const schema = outputSchema === undefined ? found : { ...found, outputSchema };
  const args = canonicalText(call.arguments);
  const levels = call.levels === undefined ? null : [...call.levels].sort();
  const key = args && JSON.stringify([call.tool, compiled.hash, levels, args]);
  return { call, schema, key };
}
