import { SchemaCache } from "@touchstone/core/advanced";
import {
  batchResponse,
  callResponse,
  invalidRequestResponse,
  type ValidateResult,
} from "../answer.ts";
import { CapabilityError } from "../errors.ts";
import { ownMember } from "../object.ts";
import { readRequest } from "../request.ts";
import { ABORTED, withTimeLimit } from "../time-limit.ts";
import { errorFindings, type Findings } from "../validation-result.ts";
import { judgeCall } from "./judge-call.ts";
import { chooseName, toolNameCandidates } from "./method-name.ts";
import type { Settings } from "./options.ts";
import type { SdkServer } from "./sdk-server.ts";
import { type ListedTool, listTools } from "./tool-list.ts";

/** Returns the signal that is aborted when a request is canceled: v1 `extra.signal`, v2 `ctx.mcpReq.signal`. */
function signalOf(context: unknown): AbortSignal | undefined {
  const signal = ownMember(context, "signal") ?? ownMember(ownMember(context, "mcpReq"), "signal");
  return signal instanceof AbortSignal ? signal : undefined;
}

/** Validates calls for one server. */
export class ValidationService {
  readonly #server: SdkServer;
  readonly #settings: Settings;
  readonly #schemas: SchemaCache = new SchemaCache();
  /**
   * The name of the validation tool. It never changes after it was announced: a client may remember it, and must not
   * run another tool by asking for a validation.
   */
  #name: string | undefined;
  #hasComparedNames = false;

  constructor(server: SdkServer, settings: Settings) {
    this.#server = server;
    this.#settings = settings;
  }

  /** Returns whether a tool of this name may be the validation tool. */
  mayBe(name: unknown): boolean {
    if (this.#name !== undefined) return name === this.#name;
    return toolNameCandidates(this.#settings.method).some((candidate) => candidate === name);
  }

  /**
   * Returns the name of the validation tool.
   * @throws CapabilityError if it is taken, and the errors of the author's `tools/list` handler
   */
  async name(context: unknown): Promise<string> {
    if (this.#name === undefined) await this.tools(context);
    return this.#name ?? chooseName(this.#settings.method, () => false);
  }

  /**
   * Returns the name to announce. If the tools cannot be listed within the time of a check, the preferred name
   * becomes final. A client waits for this before anything else.
   * @throws CapabilityError if it is taken
   */
  async nameToAnnounce(context: unknown): Promise<string> {
    const { checkTimeoutMs, method, onFault } = this.#settings;
    try {
      const named = await withTimeLimit(checkTimeoutMs, undefined, () => this.name(context));
      if (named !== ABORTED) return named;
      const message = `the tools/list handler did not end within ${checkTimeoutMs} ms`;
      onFault({ code: "tools_unavailable", message });
    } catch (thrown) {
      if (thrown instanceof CapabilityError) throw thrown;
    }
    this.#name ??= chooseName(method, () => false);
    return this.#name;
  }

  /** The server's tools. @throws as {@link name} does */
  async tools(context: unknown): Promise<ReadonlyMap<string, ListedTool>> {
    const { method, onFault } = this.#settings;
    let tools: ReadonlyMap<string, ListedTool>;
    try {
      tools = await listTools(this.#server.handler("tools/list"), context);
    } catch (cause) {
      onFault({ code: "tools_unavailable", message: "the tools/list handler failed", cause });
      throw cause;
    }
    this.#name ??= chooseName(method, (name) => tools.has(name));
    this.#compareNames(tools, this.#name);
    return tools;
  }

  #compareNames(tools: ReadonlyMap<string, ListedTool>, name: string): void {
    if (this.#hasComparedNames) return;
    this.#hasComparedNames = true;
    for (const tool of this.#settings.checks.keys()) {
      if (tools.has(tool) && tool !== name) continue;
      const message = `there are checks for ${JSON.stringify(tool)}, which the server does not list`;
      this.#settings.onFault({ code: "unknown_tool", message, tool });
    }
  }

  /** Reports a tool that took the validation tool's name too late. */
  reportHidden(name: string): void {
    const message = `a tool named "${name}" cannot be called: the validation tool was announced under that name`;
    this.#settings.onFault({ code: "name_hidden", message, tool: name });
  }

  /**
   * Answers a call of the validation tool.
   * @param args its `params.arguments`
   * @throws the errors of the author's `tools/list` handler
   */
  async answer(args: unknown, context: unknown): Promise<ValidateResult> {
    const { maxBatchSize } = this.#settings;
    const tools = await this.tools(context);
    const method = await this.name(context);
    const request = readRequest(args, maxBatchSize);
    if (request.kind === "malformed") return invalidRequestResponse(method, request.message);
    const judging = {
      settings: this.#settings,
      schemas: this.#schemas,
      tools,
      method,
      request: context,
      signal: signalOf(context),
    };
    if (request.kind === "single") return callResponse(await judgeCall(request.call, judging));
    const judged = request.calls.map(
      async (call): Promise<Findings> =>
        typeof call === "string" ? errorFindings(call, "protocol") : judgeCall(call, judging),
    );
    return batchResponse(await Promise.all(judged));
  }
}
