// Names that the pages use without an import: a server with tools, a transport to it, and a client at the other end.
import { Client } from "@modelcontextprotocol/client";
import { fromJsonSchema, InMemoryTransport, McpServer } from "@modelcontextprotocol/server";
import { withToolValidation } from "@touchstone/capability";

const info = { name: "desk", version: "1.0.0" };
const text = { type: "string" } as const;

function desk(): McpServer {
  const made = new McpServer(info);
  for (const [name, property] of Object.entries({ remind: "at", write_file: "path" })) {
    const inputSchema = fromJsonSchema({ type: "object", properties: { [property]: text } });
    made.registerTool(name, { inputSchema }, () => ({ content: [] }));
  }
  return made;
}

const [ours, theirs] = InMemoryTransport.createLinkedPair();
export const server = desk();
export const transport = ours;
export const client = new Client(info);
export const isWritable = async (path: unknown): Promise<boolean> => path !== "/";

export async function connect(): Promise<void> {
  await server.connect(ours);
  await client.connect(theirs);
}

const [one, other] = InMemoryTransport.createLinkedPair();
await withToolValidation(desk()).connect(one);
/** Connected to a server that validates. */
export const validating = new Client(info);
await validating.connect(other);
