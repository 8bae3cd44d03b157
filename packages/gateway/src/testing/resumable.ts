import {
  Client,
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from "@modelcontextprotocol/client";
import {
  type EventStore,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { onTestFinished } from "vitest";
import { deferred } from "../pipeline/testing/harness.ts";
import { serveSdk } from "./sdk-server.ts";

export const OBJECT = { type: "object" } as const;
/** The tool that the server declares. */
export const TOOL = {
  name: "count",
  inputSchema: OBJECT,
  outputSchema: { ...OBJECT, properties: { n: { type: "integer" } }, required: ["n"] },
};

type Message = Parameters<EventStore["storeEvent"]>[1];

/** The events of all streams, any part of which can be sent again. */
class Events implements EventStore {
  readonly #all: { readonly stream: string; readonly message: Message }[] = [];

  async storeEvent(stream: string, message: Message): Promise<string> {
    return `e${this.#all.push({ stream, message })}`;
  }

  async replayEventsAfter(
    last: string,
    { send }: Parameters<EventStore["replayEventsAfter"]>[1],
  ): Promise<string> {
    const at = Number(last.slice(1));
    const stream = this.#all[at - 1]?.stream ?? "";
    for (const [index, event] of this.#all.entries()) {
      // The first event of a stream precedes all messages and contains none.
      if (index < at || event.stream !== stream || !("jsonrpc" in event.message)) continue;
      await send(`e${index + 1}`, event.message);
    }
    return stream;
  }
}

/**
 * Starts a server of the official SDK whose streams can be resumed, with a tool that returns this result.
 * @param ends whether the server ends the stream of a call, so that its client must come back; else the response is
 *   sent once the client has resumed a stream
 * @param tools the tools that it lists
 */
export async function startResumable(
  result: object,
  ends = true,
  tools: readonly (typeof TOOL)[] = [TOOL],
): Promise<string> {
  const resumed = deferred<void>();
  const server = new Server({ name: "u", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({ tools: [...tools] }));
  server.setRequestHandler("tools/call", async (_, { http }) => {
    if (ends) http?.closeSSE?.();
    else await resumed.promise;
    return { content: [], structuredContent: { ...result } };
  });
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => "s-1",
    eventStore: new Events(),
    retryInterval: 1,
  });
  await server.connect(transport);
  const served = await serveSdk({
    async fetch(incoming) {
      const answer = await transport.handleRequest(incoming);
      if (incoming.headers.has("last-event-id")) resumed.resolve();
      return answer;
    },
  });
  onTestFinished(async () => {
    await server.close();
    await served.close();
  });
  return served.url;
}

/** A client that sends its requests to one gateway, and resumes streams at the other gateway. */
export async function connectOver(one: string, other: string) {
  const resumed: string[] = [];
  const fetching: StreamableHTTPClientTransportOptions["fetch"] = (to, init) => {
    const last = new Headers(init?.headers).get("last-event-id");
    if (last === null) return fetch(to, init);
    resumed.push(last);
    return fetch(other, init);
  };
  const transport = new StreamableHTTPClientTransport(new URL(one), { fetch: fetching });
  // If the client knew the tool's output schema, it would check the result itself.
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { client, transport, resumed };
}
