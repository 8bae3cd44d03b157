import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { gatewayCommand, startGateway } from "../lib/gateway.mjs";

const LEGACY = "2025-11-25";

function createClient() {
  const version = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION ?? LEGACY;
  const client = new Client(
    { name: "touchstone-conformance-client", version: "1.0.0" },
    {
      capabilities: {
        elicitation: { form: { applyDefaults: true } },
        sampling: {},
        roots: { listChanged: true },
      },
      versionNegotiation: { mode: version > LEGACY ? "auto" : "legacy" },
    },
  );
  client.setRequestHandler("elicitation/create", ({ params }) => {
    const { confirmed } = params.requestedSchema?.properties ?? {};
    return { action: "accept", content: confirmed === undefined ? {} : { confirmed: true } };
  });
  client.setRequestHandler("sampling/createMessage", () => ({
    role: "assistant",
    content: { type: "text", text: "sampled" },
    model: "test-model",
  }));
  client.setRequestHandler("roots/list", () => ({ roots: [{ uri: "file:///test" }] }));
  return client;
}

async function open(url, { via, mode }) {
  switch (via) {
    case "direct":
      return { transport: new StreamableHTTPClientTransport(new URL(url)), stop: async () => {} };
    case "serve": {
      const gateway = await startGateway({ upstream: { url } }, mode);
      const transport = new StreamableHTTPClientTransport(new URL(gateway.urls.upstream));
      return { transport, stop: gateway.stop };
    }
    case "wrap": {
      const { command, args, env } = gatewayCommand(["wrap", "--mode", mode, "--url", url]);
      return { transport: new StdioClientTransport({ command, args, env }), stop: async () => {} };
    }
    default:
      throw new Error(`--via is direct, serve or wrap, not ${via}`);
  }
}

/** Connects to a server, directly or through a gateway. */
export async function connect(url, how) {
  const { transport, stop } = await open(url, how);
  const client = createClient();
  const close = async () => {
    await client.close();
    await stop();
  };
  try {
    await client.connect(transport);
  } catch (error) {
    await close();
    throw error;
  }
  return { client, close };
}
