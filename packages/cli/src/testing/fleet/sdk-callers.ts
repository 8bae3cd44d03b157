import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const INFO = { name: "scale", version: "1" };

/** The official client, in the generation that supports the revision. */
export type Generation = "2026-07-28" | "2025-11-25";

export interface SdkCaller {
  readonly generation: Generation;
  /** @returns the echo of the call's text. Rejects if the response is an error */
  call(tool: string, text: string): Promise<string>;
  /** @returns how many tools there are */
  list(): Promise<number>;
  close(): Promise<void>;
}

interface Result {
  readonly isError?: boolean;
  readonly structuredContent?: { readonly echo?: string };
}

function echoOf(result: unknown): string {
  const { isError, structuredContent } = result as Result;
  if (isError === true) throw new Error(`refused: ${JSON.stringify(result)}`);
  return structuredContent?.echo ?? "";
}

/** Connects an official client to an MCP endpoint over Streamable HTTP. */
export async function connectCaller(url: string, generation: Generation): Promise<SdkCaller> {
  if (generation === "2025-11-25") {
    const client = new ClientV1(INFO);
    const transport = new HttpV1(new URL(url));
    await client.connect(transport as unknown as Parameters<ClientV1["connect"]>[0]);
    return {
      generation,
      call: async (name, text) => echoOf(await client.callTool({ name, arguments: { text } })),
      list: async () => (await client.listTools()).tools.length,
      close: () => client.close(),
    };
  }
  const client = new Client(INFO, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return {
    generation,
    call: async (name, text) => echoOf(await client.callTool({ name, arguments: { text } })),
    list: async () => (await client.listTools()).tools.length,
    close: () => client.close(),
  };
}
