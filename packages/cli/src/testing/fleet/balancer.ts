import { createHash } from "node:crypto";
import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";

/** A gateway behind the balancer. */
export interface Backend {
  /** Its MCP endpoint. */
  readonly url: string;
  /** The number of its open requests. */
  underWay: number;
  /** Whether it is removed from the rotation, because it could not be reached. */
  down: boolean;
}

export interface Balancer {
  readonly url: string;
  readonly backends: readonly Backend[];
  /** How often each tool call was sent to a gateway, by the `text` of its arguments. */
  readonly attempts: ReadonlyMap<string, number>;
  /** Requests that were sent a second time. */
  readonly retried: number;
  close(): Promise<void>;
}

export interface BalancerOptions {
  /** Tools annotated `readOnlyHint` or `idempotentHint`. */
  readonly safeTools: ReadonlySet<string>;
  /** Called for each call of such a tool as soon as it was sent to a gateway. */
  readonly sent: (backend: Backend) => void;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The members of a JSON-RPC message that the balancer uses. */
interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly name?: string; readonly arguments?: { readonly text?: string } };
}

const SAFE_METHODS: ReadonlySet<string> = new Set(["tools/list", "server/discover", "ping"]);
const OWN_HEADERS: ReadonlySet<string> = new Set(["connection", "host", "transfer-encoding"]);

/**
 * A typical balancer in front of gateways: requests of a session go to the same gateway as long as it is alive, all
 * others are distributed in turn. If a request gets no response, it is sent to another gateway if that is safe: if
 * the connection was refused, so that nothing was sent, or if the request may run twice.
 */
export async function startBalancer(
  urls: readonly string[],
  { safeTools, sent }: BalancerOptions,
): Promise<Balancer> {
  const backends: Backend[] = urls.map((url) => ({ url, underWay: 0, down: false }));
  const attempts = new Map<string, number>();
  const agent = new Agent({ keepAlive: true });
  let turn = 0;
  let retried = 0;

  function choose(session: string | undefined): Backend {
    const up = backends.filter(({ down }) => !down);
    turn += 1;
    const ranked =
      session === undefined ? [] : up.toSorted((a, b) => rank(session, b) - rank(session, a));
    const chosen = ranked[0] ?? up[turn % up.length];
    if (chosen === undefined) throw new Error("no gateway is up");
    return chosen;
  }

  async function forward(incoming: IncomingMessage, body: Buffer): Promise<Answer> {
    const message = body.length === 0 ? {} : (JSON.parse(body.toString()) as Message);
    const session = incoming.headers["mcp-session-id"];
    const { method = "", params } = message;
    const safe = SAFE_METHODS.has(method) || safeTools.has(params?.name ?? "");
    for (;;) {
      const backend = choose(typeof session === "string" ? session : undefined);
      const text = params?.arguments?.text;
      if (text !== undefined) attempts.set(text, (attempts.get(text) ?? 0) + 1);
      backend.underWay += 1;
      try {
        const answer = send(agent, backend.url, incoming, body);
        if (safeTools.has(params?.name ?? "")) sent(backend);
        return await answer;
      } catch (error) {
        const refused = error instanceof Error && "code" in error && error.code === "ECONNREFUSED";
        backend.down = true;
        if (!refused && !safe) return failed(message);
        retried += 1;
      } finally {
        backend.underWay -= 1;
      }
    }
  }

  const server = createServer(async (incoming, response) => {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part as Buffer);
    try {
      reply(response, await forward(incoming, Buffer.concat(parts)));
    } catch (error) {
      response.writeHead(503).end(String(error));
    }
  });
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp/scale`,
    backends,
    attempts,
    get retried() {
      return retried;
    },
    close: () =>
      new Promise((resolve) => {
        agent.destroy();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Rendezvous hashing (HRW): if a gateway is removed, only its own sessions move. */
function rank(session: string, { url }: Backend): number {
  return createHash("sha256").update(`${session}\n${url}`).digest().readUInt32BE();
}

function send(agent: Agent, url: string, from: IncomingMessage, body: Buffer): Promise<Answer> {
  const headers = Object.fromEntries(
    Object.entries(from.headers).filter(([name]) => !OWN_HEADERS.has(name)),
  );
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: from.method, agent, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("error", reject);
      response.on("end", () => {
        const { statusCode: status = 502, headers: answered } = response;
        resolve({ status, headers: answered, body: Buffer.concat(parts) });
      });
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

/** The response for a call that may have run: only the client knows whether to send it again. */
function failed({ id = null }: Message): Answer {
  const error = { code: -32603, message: "the gateway went away; the call may have run" };
  const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", id, error }));
  return { status: 502, headers: { "content-type": "application/json" }, body };
}

function reply(response: ServerResponse, { status, headers, body }: Answer): void {
  const passed = Object.entries(headers).filter(([name]) => !OWN_HEADERS.has(name));
  response.writeHead(status, Object.fromEntries(passed)).end(body);
}
