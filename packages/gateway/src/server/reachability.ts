import { messageOf } from "@touchstone/core/advanced";
import { ERROR_CODES } from "@touchstone/protocol/advanced";
import { type Logger, valueOrTimeout } from "@touchstone/util";
import type { Modes } from "../config/edit/modes.ts";
import { MAX_TOOLS } from "../contracts/contract-list.ts";
import { eraOf } from "../eras/eras.ts";
import { type BridgeMode, bridgeOf, type WrittenBridge } from "../features/bridge/bridge.ts";
import type { ServerSummary } from "./api/schemas.ts";
import type { ServedServer } from "./served-servers.ts";
import { OwnClient } from "./tools-api/client.ts";
import type { EndpointPoster } from "./tools-api/endpoint-poster.ts";
import { ToolList } from "./tools-api/tool-list.ts";
import { JsonRpcResponseError } from "./tools-api/upstream-error.ts";

/** After this time without a response, a server is reported as late, in milliseconds. */
const REACH_MS = 10_000;

/** The result of reaching a server. */
export interface ReachResult {
  readonly server: string;
  /** `late` if it has not responded yet; the gateway keeps waiting. */
  readonly outcome: "reached" | "failed" | "late";
  /** Why it failed. */
  readonly reason?: string;
  /**
   * The newest revision that both the server and the gateway speak; absent if the server was not asked for its tools.
   */
  readonly revision?: string;
  /**
   * How clients that begin with `initialize` are handled if the server refuses that; absent if the server speaks such
   * a revision.
   */
  readonly bridge?: BridgeMode;
  /** How many tools it lists; absent if it was not asked. */
  readonly tools?: number;
  /** How many of them are blocked or unchecked, because one of their schemas cannot be used. */
  readonly unusable?: NonNullable<ServerSummary["unusableTools"]>;
  /** The modes for tools without their own. */
  readonly modes: Modes;
  readonly url: string;
  /** The later result, if the server is late; undefined if it was removed by then. */
  readonly later?: Promise<ReachResult | undefined>;
}

/** What a server responded when it was asked for its tools. */
type Asked = Pick<ReachResult, "revision" | "bridge"> & { readonly tools: number };

/** @param settings of the server */
function listed(tools: number, revision: string | undefined, settings: WrittenBridge): Asked {
  if (revision === undefined) return { tools };
  const mayRefuse = !eraOf(revision).hasHandshake;
  return { tools, revision, ...(mayRefuse ? { bridge: bridgeOf(settings) } : {}) };
}

export interface ReachabilityCheckParts {
  readonly posts: EndpointPoster;
  /** Returns a server's state; rejects if the name is unknown. */
  readonly summary: (
    server: string,
  ) => Promise<Pick<ServerSummary, "error" | "unusableTools" | "modes">>;
  readonly log: Logger;
}

/** Reaches servers once, through the gateway's endpoints, so that broken ones are known before a client connects. */
export class ReachabilityCheck {
  readonly #parts: ReachabilityCheckParts;
  readonly #reached: WeakSet<ServedServer["endpoint"]> = new WeakSet();
  readonly #stopping: AbortController = new AbortController();

  constructor(parts: ReachabilityCheckParts) {
    this.#parts = parts;
  }

  /** Ends open requests; servers that have not responded count as failed. */
  stop(): void {
    this.#stopping.abort();
  }

  /**
   * Reaches the servers that were not reached before.
   * @param patience how long to wait for each, in milliseconds
   */
  async reach(
    servers: readonly ServedServer[],
    urls: ReadonlyMap<string, string>,
    patience: number = REACH_MS,
  ): Promise<readonly ReachResult[]> {
    const fresh = servers.filter(({ endpoint }) => !this.#reached.has(endpoint));
    for (const { endpoint } of fresh) this.#reached.add(endpoint);
    const found = await Promise.all(
      fresh.map((served) => this.#one(served, urls.get(served.config.name) ?? "", patience)),
    );
    return found.flatMap((server) => server ?? []);
  }

  async #one(
    served: ServedServer,
    url: string,
    patience: number,
  ): Promise<ReachResult | undefined> {
    const { name } = served.config;
    const known = (): Promise<Awaited<ReturnType<ReachabilityCheckParts["summary"]>> | undefined> =>
      this.#parts.summary(name).catch(() => undefined);
    const before = await known();
    // A reload has removed it in the meantime.
    if (before === undefined) return undefined;
    const { error, modes } = before;
    // The server is already known to have failed, for example because its program is missing.
    if (error !== undefined) return { server: name, outcome: "failed", reason: error, modes, url };
    const asked = this.#ask(served).then(async (said): Promise<ReachResult | undefined> => {
      const after = await known();
      if (after === undefined) return undefined;
      const about = { server: name, modes: after.modes, url };
      const reason = after.error ?? (typeof said === "string" ? said : undefined);
      if (reason !== undefined) return { ...about, outcome: "failed", reason };
      if (typeof said !== "object") return { ...about, outcome: "reached" };
      const unusable = after.unusableTools ?? { blocked: 0, unchecked: 0 };
      return { ...about, outcome: "reached", ...said, unusable };
    });
    const late: ReachResult = { server: name, outcome: "late", modes, url, later: asked };
    return valueOrTimeout<ReachResult | undefined>(patience, asked, () => late);
  }

  /**
   * Requests the tools of a server, and ends the processes that this started. A server behind a URL may allow one
   * session only, so the tools are only requested if that needs no session.
   * @returns the number of tools and the revision; undefined if it was not asked; a text if it does not work. Never
   *   rejects.
   */
  async #ask({
    config,
    endpoint,
    limits,
    runtime,
  }: ServedServer): Promise<Asked | string | undefined> {
    const client = new OwnClient({
      post: this.#parts.posts.to(config.name, { role: "caller" }),
      maxBytes: limits.upstreamFrameBytes,
      onToolsChanged: () => {},
      stopping: this.#stopping.signal,
      spare: () => endpoint.spare(),
    });
    const rest = (reason?: string): void => {
      const rested = client.leave().then(() => endpoint.rest());
      void rested.then(() => runtime.status.rested(reason)).catch(() => {});
    };
    const list = new ToolList({
      ask: (params) => client.request("tools/list", params),
      warn: (message, reason) => this.#parts.log.debug(message, { server: config.name, reason }),
      now: () => performance.now(),
      maxTools: limits.tools ?? MAX_TOOLS,
    });
    try {
      if (config.upstream.type === "http" && !(await client.needsNoSession())) return undefined;
      const { length } = await list.get();
      const revision = await client.revision();
      rest();
      return listed(length, revision, config.settings);
    } catch (error) {
      const revision = await client.revision();
      const answered = error instanceof JsonRpcResponseError ? error.error.value : undefined;
      const reason = messageOf(error);
      rest(answered === undefined ? reason : undefined);
      // A server may have prompts or resources only.
      return answered?.["code"] === ERROR_CODES.methodNotFound
        ? listed(0, revision, config.settings)
        : reason;
    }
  }
}
