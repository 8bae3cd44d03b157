import { isObject } from "@touchstone/core/advanced";
import { CapabilityError } from "../errors.ts";
import { ownMember } from "../object.ts";

/**
 * The parts of an MCP client that are needed: a `Client` of `@modelcontextprotocol/sdk` 1.x or
 * `@modelcontextprotocol/client` 2.x has them, and so may any other object.
 */
export interface ValidationClient {
  callTool(
    params: { name: string; arguments?: Record<string, unknown> },
    ...rest: never[]
  ): Promise<unknown>;
  /** Without this method there is no schema to check against. */
  listTools?(params?: { cursor?: string }, ...rest: never[]): Promise<unknown>;
  /** The server's capabilities, once it is connected. */
  getServerCapabilities?(): unknown;
}

/** How a request may end early. */
export interface AskOptions {
  readonly signal: AbortSignal;
  /** In milliseconds. */
  readonly timeout: number;
}

type Asking = (params: unknown, ...rest: unknown[]) => Promise<unknown>;

/** @throws CapabilityError `not_a_client` */
export function checkClient(client: unknown, name: string): void {
  const calls = (client as { callTool?: unknown } | null | undefined)?.callTool;
  if (typeof calls === "function") return;
  const message = `the client for ${JSON.stringify(name)} has no callTool: pass connected MCP clients by the names of their servers, such as { files: client }`;
  throw new CapabilityError("not_a_client", message);
}

function isSecondGeneration(client: ValidationClient): boolean {
  return "listen" in client && typeof client.listen === "function";
}

/**
 * Calls a tool. The two generations of the SDK expect the options at different positions. @throws the client's errors
 */
export function callTool(
  client: ValidationClient,
  name: string,
  args: Record<string, unknown>,
  options: AskOptions,
): Promise<unknown> {
  const ask = client.callTool.bind(client) as Asking;
  const params = { name, arguments: args };
  return isSecondGeneration(client) ? ask(params, options) : ask(params, undefined, options);
}

const MAX_PAGES = 100;
const MAX_TOOLS = 10_000;

/** A tool as a server lists it. */
export interface RemoteTool {
  readonly inputSchema: unknown;
  readonly outputSchema: unknown;
  readonly annotations: unknown;
}

/** The tools of a server, and how long the list holds. */
export interface RemoteTools {
  readonly tools: ReadonlyMap<string, RemoteTool>;
  /** In milliseconds, if the server says so (MCP 2026-07-28, `ttlMs`). */
  readonly ttlMs: number | undefined;
}

/** Accepts every result, like a Zod 3 schema that allows everything. */
const AS_IT_IS = { safeParse: (data: unknown) => ({ success: true, data }) };

/**
 * Requests one page of the list. A client of the first generation compiles all output schemas of a page, and fails if
 * one cannot be compiled; its plain request still returns the page.
 */
async function listPage(
  client: ValidationClient,
  params: { cursor: unknown } | undefined,
  options: AskOptions,
): Promise<unknown> {
  // A client of the second generation caches lists itself, but here a fresh list is needed.
  const rest = { ...options, cacheMode: "refresh" };
  try {
    return await (client.listTools as Asking).call(client, params, rest);
  } catch (thrown) {
    const { request } = client as { request?: unknown };
    if (isSecondGeneration(client) || typeof request !== "function") throw thrown;
    if (options.signal.aborted) throw thrown;
    return (request as Asking).call(client, { method: "tools/list", params }, AS_IT_IS, options);
  }
}

/** Lists the tools, page by page. @throws the client's errors, and Error if it returns no list */
export async function listRemoteTools(
  client: ValidationClient,
  options: AskOptions,
): Promise<RemoteTools> {
  if (typeof client.listTools !== "function") throw new Error("the client cannot list tools");
  const tools = new Map<string, RemoteTool>();
  let cursor: unknown;
  let ttlMs: number | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const result = await listPage(client, cursor === undefined ? undefined : { cursor }, options);
    const listed = ownMember(result, "tools");
    if (!Array.isArray(listed)) throw new Error("the response to tools/list has no list of tools");
    const declaredTtl = ownMember(result, "ttlMs");
    ttlMs = typeof declaredTtl === "number" && declaredTtl >= 0 ? declaredTtl : undefined;
    for (const tool of listed) {
      if (tools.size >= MAX_TOOLS) break;
      if (!isObject(tool) || typeof tool["name"] !== "string") continue;
      const { name, inputSchema, outputSchema, annotations } = tool;
      tools.set(name, { inputSchema, outputSchema, annotations });
    }
    cursor = ownMember(result, "nextCursor");
    if (typeof cursor !== "string") break;
  }
  return { tools, ttlMs };
}

/** Returns the capabilities of the server; undefined if the client cannot report them. */
export function capabilitiesOf(client: ValidationClient): unknown {
  try {
    return client.getServerCapabilities?.();
  } catch {
    return undefined;
  }
}

interface Transport {
  onmessage?: ((message: unknown, ...rest: unknown[]) => unknown) | undefined;
}

/** Returns the transport of a connected SDK client. */
export function transportOf(client: ValidationClient): object | undefined {
  const { transport } = client as { transport?: unknown };
  return typeof transport === "object" && transport !== null ? transport : undefined;
}

/**
 * Listens to the notifications of a transport, beside the client. The transport passes each message to its
 * `onmessage`, which both generations set when they connect; listening there replaces no handler of the application.
 */
export function listenToNotifications(transport: object, notified: (method: string) => void): void {
  const target = transport as Transport;
  const before = target.onmessage;
  if (typeof before !== "function") return;
  target.onmessage = function (this: unknown, message, ...rest): unknown {
    const method = ownMember(message, "method");
    if (typeof method === "string" && ownMember(message, "id") === undefined) notified(method);
    return before.call(this, message, ...rest);
  };
}
