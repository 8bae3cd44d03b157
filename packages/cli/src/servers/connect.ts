import { isDeepStrictEqual } from "node:util";
import {
  arrayItems,
  decodeUtf8,
  encodeUtf8,
  isObject,
  type JsonObject,
  locatePointers,
  SchemaCache,
} from "@touchstone/core/advanced";
import { ToolContract } from "@touchstone/gateway/contract";
import {
  ERROR_CODES,
  type Frame,
  LATEST_LEGACY,
  readFrame,
  resultFrame,
  revisionOf,
  singleLine,
} from "@touchstone/protocol/advanced";
import type { ReportFinding } from "../findings/finding.ts";
import { resultOf, type ServerInfo, type ServerIntroduction } from "./handshake.ts";
import type { ConnectOptions, InitializedServer } from "./initialized-server.ts";
import { JsonRpcResponseError } from "./json-rpc-error.ts";
import { openStdio } from "./open-stdio.ts";
import type { ServerPeer } from "./peer.ts";
import { isTimeout, unreachableError } from "./reach-error.ts";
import { answerFindings, serverFinding } from "./response-findings.ts";
import type { ServerTarget } from "./target.ts";

export type { ConnectOptions } from "./initialized-server.ts";

/** The facts about a tool that a call needs. */
export interface CalledTool {
  readonly name: string;
  readonly inputSchema?: unknown;
}

/** The outcome of a call. */
export interface CallOutcome {
  /** The result, of any shape. */
  readonly value: unknown;
  /** The JSON text of the result, as received. */
  readonly text: string;
}

/** A server that responds. */
export interface Connection {
  /** The negotiated revision; `unknown` if the server named none. */
  readonly revision: string;
  /** `name/version` as the server introduces itself. */
  readonly server: string;
  /** Whether it has declared the capability `tools`. */
  readonly offersTools: boolean;
  /** What it reports about itself. */
  readonly about: ServerInfo;
  /** Whether a list is incomplete: a page failed, or the list does not end. */
  readonly isCut: boolean;
  /** The faults in the server's responses so far, apart from those of single tools and results. */
  readonly findings: readonly ReportFinding[];
  /**
   * Returns the declarations from all pages as received, each of any shape.
   * @param page receives the JSON text of each page's result, with numbers as they were written
   */
  listTools(page?: (text: string) => void): Promise<readonly unknown[]>;
  /**
   * Returns the JSON texts of all prompts or resource templates of the server, as received. Only requests what the
   * server offers: a server without the capability, or without the method, has none.
   * @throws Error if the list cannot be fetched
   */
  listTexts(kind: "prompts" | "resourceTemplates"): Promise<readonly string[]>;
  /**
   * Calls a tool.
   * @param args JSON text of the arguments, sent unchanged; if absent, the request has none
   * @throws JsonRpcResponseError if the server responds with a JSON-RPC error, else an error with the reason why there is no
   *   response
   */
  callTool(tool: CalledTool, args?: string | Uint8Array): Promise<CallOutcome>;
  close(): Promise<void>;
}

/** How many pages of a list to read, because a server may never end it. */
const MAX_PAGES = 100;
/** Other lists: the capability that announces each, and its method. */
const LISTS = {
  prompts: { capability: "prompts", method: "prompts/list" },
  resourceTemplates: { capability: "resources", method: "resources/templates/list" },
} as const;
/** The rule that a faulty response to each of these requests breaks. */
const RULES = { "server/discover": "discover-result", initialize: "initialize-result" } as const;

/**
 * Connects to a server: under 2026-07-28 if the server supports it, else with the handshake of the older revisions.
 * Faults in its responses become findings of the connection; it fails only if it cannot continue.
 * @throws Error if it cannot be started or reached, or does not respond in time
 */
export async function connect(target: ServerTarget, options: ConnectOptions): Promise<Connection> {
  options.stop.throwIfAborted();
  const { upstream } = target;
  const client = { name: options.clientName ?? "touchstone", version: options.version };
  const asking = { ...options, client };
  const called: Called = { contract: undefined };
  let opened: InitializedServer;
  if (upstream.type === "http") {
    const { openHttp } = await import("./open-http.ts");
    opened = await openHttp(upstream, asking, () => called.contract).catch(
      async (error: unknown) => {
        const { loginAdvice } = await import("./login.ts");
        const advice =
          options.stop.aborted || isTimeout(error)
            ? undefined
            : await loginAdvice({ name: target.name, ...upstream }, options.env);
        throw advice === undefined ? error : new Error(advice, { cause: error });
      },
    );
  } else opened = await openStdio({ ...target, upstream }, asking);
  return new ServerConnection(opened, options.timeout, called);
}

/** The tool of the current call: a link over HTTP needs the headers that it declares. */
interface Called {
  contract: ToolContract | undefined;
}

class ServerConnection implements Connection {
  readonly revision: string;
  readonly server: string;
  readonly offersTools: boolean;
  readonly about: ServerInfo;
  isCut = false;
  readonly #peer: ServerPeer;
  readonly #introduction: ServerIntroduction;
  readonly #meta: JsonObject;
  readonly #timeout: number;
  readonly #called: Called;
  readonly #listed: Map<string, ReportFinding> = new Map();

  constructor({ peer, introduction }: InitializedServer, timeout: number, called: Called) {
    this.revision = introduction.revision;
    this.server = introduction.server;
    this.offersTools = introduction.hasTools;
    this.about = introduction.about;
    this.#peer = peer;
    this.#introduction = introduction;
    this.#meta = introduction.context;
    this.#timeout = timeout;
    this.#called = called;
  }

  get findings(): readonly ReportFinding[] {
    const all = [...this.#introduction.findings, ...this.#peer.findings, ...this.#listed.values()];
    if (this.#introduction.by === "server/discover") return all;
    // If an old server rejects a request that it does not know, that is not a fault.
    return all.filter(({ subject }) => subject !== "server/discover");
  }

  async listTools(page?: (text: string) => void): Promise<readonly unknown[]> {
    const tools: unknown[] = [];
    let cursor: string | undefined;
    let before: readonly unknown[] = [];
    for (let pages = 0; pages < MAX_PAGES; pages += 1) {
      const frame = await this.#listPage(cursor, pages);
      if (frame === undefined) return tools;
      const result = resultOf(frame);
      this.#judgePage(frame, result);
      const listed = isObject(result) && Array.isArray(result["tools"]) ? result["tools"] : [];
      const next = isObject(result) ? cursorText(result["nextCursor"]) : undefined;
      // Some servers never omit the cursor (`""`) and start again when it is used.
      const namesItself = next !== undefined && next === cursor;
      if (namesItself && isDeepStrictEqual(listed, before)) return tools;
      const { result: range, tools: list } = frame.ranges;
      if (range !== undefined && list !== undefined) page?.(frame.text(range));
      for (const tool of listed) tools.push(tool);
      if (next === undefined || namesItself) return this.#ended(tools);
      cursor = next;
      before = listed;
    }
    this.isCut = true;
    this.#add(
      serverFinding({
        rule: "list-result",
        subject: "tools/list",
        path: "/result/nextCursor",
        message: `the list does not end: ${MAX_PAGES} pages were read, and each names another; SDK clients that follow it never get the tools`,
        fix: "Leave nextCursor out of the last page.",
      }),
    );
    return this.#ended(tools);
  }

  async listTexts(kind: "prompts" | "resourceTemplates"): Promise<readonly string[]> {
    const { capability, method } = LISTS[kind];
    if ((this.about.capabilities[capability] ?? null) === null) return [];
    const texts: string[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < MAX_PAGES; pages += 1) {
      const frame = await this.#page(method, cursor).catch((error: unknown) => {
        const { cause } = error as Error;
        const isUnknown =
          cause instanceof JsonRpcResponseError &&
          cause.code === String(ERROR_CODES.methodNotFound);
        if (pages === 0 && isUnknown) return undefined;
        throw error;
      });
      if (frame === undefined) return texts;
      const result = resultOf(frame);
      if (!isObject(result) || !Array.isArray(result[kind])) {
        throw new Error(`its response to ${method} has no list "${kind}"`);
      }
      const pointer = `/result/${kind}`;
      const place = locatePointers(frame.bytes, [pointer]).get(pointer);
      for (const range of place === undefined ? [] : arrayItems(frame.bytes, place.value)) {
        texts.push(frame.text(range));
      }
      const next = cursorText(result["nextCursor"]);
      if (next === undefined || next === cursor) return texts;
      cursor = next;
    }
    this.isCut = true;
    return texts;
  }

  async callTool(
    { name, inputSchema }: CalledTool,
    args?: string | Uint8Array,
  ): Promise<CallOutcome> {
    const members = Object.entries(this.#meta).map(
      ([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)},`,
    );
    const params = `{${members.join("")}"name":${JSON.stringify(name)}${argumentsMember(args)}}`;
    const schema = isObject(inputSchema)
      ? { inputSchema: encodeUtf8(JSON.stringify(inputSchema)) }
      : {};
    this.#called.contract = new ToolContract({ name, ...schema }, new SchemaCache());
    const frame = await this.#request("tools/call", params);
    const { result } = frame.ranges;
    return { value: resultOf(frame), text: result === undefined ? "null" : frame.text(result) };
  }

  close(): Promise<void> {
    return this.#peer.close();
  }

  #request(method: string, params: string): Promise<Frame> {
    return this.#peer.request(method, params, this.#timeout).catch((error: unknown) => {
      throw error instanceof JsonRpcResponseError && method === "tools/call"
        ? error
        : unreachableError(error);
    });
  }

  #page(method: string, cursor: string | undefined): Promise<Frame> {
    const at = cursor === undefined ? "" : `"cursor":${cursor}`;
    const meta = JSON.stringify(this.#meta).slice(1, -1);
    return this.#request(method, `{${[meta, at].filter((text) => text !== "").join(",")}}`);
  }

  /** @returns undefined if the list ends here because the server does not return the page */
  async #listPage(cursor: string | undefined, pages: number): Promise<Frame | undefined> {
    try {
      return await this.#page("tools/list", cursor);
    } catch (error) {
      const { cause } = error as Error;
      if (!(cause instanceof JsonRpcResponseError)) throw error;
      const isWithout =
        !this.#introduction.hasTools && cause.code === String(ERROR_CODES.methodNotFound);
      if (pages === 0 && !isWithout) throw error;
      if (pages > 0) {
        this.isCut = true;
        this.#add(pageFinding(cursor ?? "", cause));
      }
      return undefined;
    }
  }

  /** Checks a page without its tools, which may be many and are checked individually in another place. */
  #judgePage(frame: Frame, result: unknown): void {
    const envelope =
      isObject(result) && Array.isArray(result["tools"]) ? { ...result, tools: [] } : result;
    const text = JSON.stringify(envelope) ?? "null";
    const judged = readFrame(resultFrame(frame.id ?? "0", text));
    const revision = revisionOf(this.revision) ?? LATEST_LEGACY;
    for (const finding of answerFindings(judged, "tools/list", [revision])) this.#add(finding);
  }

  #ended(tools: readonly unknown[]): readonly unknown[] {
    if (tools.length > 0 && !this.#introduction.hasTools) {
      const { by: subject } = this.#introduction;
      this.#add(
        serverFinding({
          rule: RULES[subject],
          subject,
          path: "/result/capabilities/tools",
          message:
            "the server has tools and does not declare the capability; clients need not ask for them",
          fix: 'Add "tools": {} to the capabilities.',
        }),
      );
    }
    return tools;
  }

  #add(finding: ReportFinding): void {
    const key = `${finding.path} ${finding.message}`;
    if (!this.#listed.has(key)) this.#listed.set(key, finding);
  }
}

/** Returns the arguments as a member of params, on one line. */
function argumentsMember(args: string | Uint8Array | undefined): string {
  if (args === undefined) return "";
  const bytes = typeof args === "string" ? encodeUtf8(args) : args;
  return `,"arguments":${decodeUtf8(singleLine(bytes)).trim()}`;
}

function pageFinding(cursor: string, { code, message }: JsonRpcResponseError): ReportFinding {
  return serverFinding({
    rule: "list-result",
    subject: "tools/list",
    path: "/result/nextCursor",
    message: `the page at the cursor ${cursor.slice(0, 80)} was answered with the error ${code}: ${message}; tools on it are missing`,
    fix: "Respond to each cursor that a page names, or leave nextCursor out of the last page.",
  });
}

/**
 * Returns the JSON text of a cursor. A cursor that is not a string is sent back unchanged: the server may accept it.
 */
function cursorText(cursor: unknown): string | undefined {
  return typeof cursor === "string" || typeof cursor === "number"
    ? JSON.stringify(cursor)
    : undefined;
}
