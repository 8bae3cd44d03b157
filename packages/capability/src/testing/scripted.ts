import { Server } from "@modelcontextprotocol/server";
import { connect, type TestClient, type TestTool, WRITE_FILE } from "./sdk.ts";

/** A call of a tool, as a scripted server sees it. */
export interface SeenCall {
  readonly name: string;
  readonly arguments: unknown;
}

type Answer = Record<string, unknown>;

/** How a scripted server responds. */
export interface Script {
  /** `capabilities.experimental.toolValidation`. */
  readonly announced?: object;
  readonly tools?: readonly object[];
  readonly capabilities?: object;
  readonly answer?: (call: SeenCall) => Answer | Promise<Answer>;
}

/** The validation tool as servers list it. */
export const VALIDATE: TestTool = {
  name: "validate",
  inputSchema: { type: "object", properties: { tool: { type: "string" }, arguments: {} } },
};

/** Returns a response with JSON in its text and no structured content. */
export const inText = (value: unknown): Answer => ({
  content: [{ type: "text", text: JSON.stringify(value) }],
});

/** Starts a server that responds by a script, and connects a client of the given SDK generation to it. */
export async function scripted(script: Script, generation: "v1" | "v2" = "v2") {
  const seen: SeenCall[] = [];
  const lists: number[] = [];
  const { announced, tools = [WRITE_FILE, VALIDATE] } = script;
  const server = new Server(
    { name: "scripted", version: "1" },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true },
        ...script.capabilities,
        ...(announced === undefined ? {} : { experimental: { toolValidation: { ...announced } } }),
      },
    },
  );
  server.setRequestHandler("tools/list", () => {
    lists.push(seen.length);
    return { tools: tools as never };
  });
  server.setRequestHandler("tools/call", async ({ params }) => {
    const call = { name: params.name, arguments: params.arguments };
    seen.push(call);
    return ((await script.answer?.(call)) ?? inText({ valid: true })) as never;
  });
  const client: TestClient = await connect(generation, server);
  return { server, client, seen, lists };
}
