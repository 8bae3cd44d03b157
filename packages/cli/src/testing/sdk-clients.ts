import {
  Client as ClientV2,
  StreamableHTTPClientTransport as HttpV2,
} from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { describe, onTestFinished } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";

/** The functions that the tests need of a client of either SDK. */
export interface SdkClient {
  /** Returns the tools of all pages, without pages that the SDK refuses. */
  tools(): Promise<string[]>;
  /** Returns the result, or the error of the SDK. */
  call(name: string, args: Record<string, unknown>): Promise<SdkResult>;
  close(): Promise<void>;
}

export interface SdkResult {
  readonly result?: { readonly isError?: boolean; readonly content: readonly unknown[] };
  readonly refused?: string;
}

const SDKS = ["v1", "v2 legacy", "v2 auto"] as const;
export type Sdk = (typeof SDKS)[number];

/** Defines tests for the client of each SDK; `npm test` runs them for one SDK. */
export function describeSdks(one: Sdk, tests: (sdk: Sdk) => void): void {
  for (const sdk of SDKS) {
    describe(`the SDK's client, ${sdk}`, sdk === one ? {} : long, () => tests(sdk));
  }
}

/** How to start a server, or its URL. */
type Start =
  | {
      readonly command: string;
      readonly args: string[];
      readonly env: Record<string, string>;
      readonly cwd?: string;
    }
  | URL;

const INFO = { name: "sdk", version: "1" };
const CAPABILITIES = { roots: {}, sampling: {}, elicitation: { form: {}, url: {} } };
const SAMPLE = {
  model: "m",
  role: "assistant" as const,
  content: { type: "text" as const, text: "sampled" },
};
const ELICITED = { action: "decline" as const };
const ROOTS = { roots: [] };

type Params = { name: string; arguments: Record<string, unknown> };
type Calling = (params: Params) => Promise<SdkResult["result"]>;
/** With a listener, the SDKs request progress. */
const PROGRESS = { onprogress: () => {} };

async function outcome(call: Calling, params: Params): Promise<SdkResult> {
  try {
    const result = await call(params);
    return result === undefined ? {} : { result };
  } catch (error) {
    return { refused: String(error) };
  }
}

async function startV1(start: Start): Promise<SdkClient> {
  const client = new ClientV1(INFO, { capabilities: CAPABILITIES });
  client.setRequestHandler(CreateMessageRequestSchema, () => SAMPLE);
  client.setRequestHandler(ElicitRequestSchema, () => ELICITED);
  client.setRequestHandler(ListRootsRequestSchema, () => ROOTS);
  onTestFinished(() => client.close());
  // The SDK's own types differ over an optional session id.
  const transport =
    start instanceof URL
      ? (new HttpV1(start) as Transport)
      : new StdioV1({ ...start, stderr: "ignore" });
  await client.connect(transport);
  const tasks = new Set<string>();
  const call: Calling = async (params) => {
    if (!tasks.has(params.name)) {
      return (await client.callTool(params, undefined, PROGRESS)) as SdkResult["result"];
    }
    for await (const step of client.experimental.tasks.callToolStream(params)) {
      if (step.type === "result") return step.result as SdkResult["result"];
      if (step.type === "error") throw step.error;
    }
    return undefined;
  };
  return {
    async tools() {
      const names: string[] = [];
      let cursor: string | undefined;
      do {
        const params = cursor === undefined ? {} : { cursor };
        const page = await client.listTools(params).catch(() => undefined);
        for (const tool of page?.tools ?? []) {
          names.push(tool.name);
          if (tool.execution?.taskSupport === "required") tasks.add(tool.name);
        }
        cursor = page?.nextCursor;
      } while (cursor !== undefined);
      return names;
    },
    call: (name, args) => outcome(call, { name, arguments: args }),
    close: () => client.close(),
  };
}

async function startV2(start: Start, mode: "legacy" | "auto"): Promise<SdkClient> {
  const client = new ClientV2(INFO, {
    capabilities: CAPABILITIES,
    versionNegotiation: { mode },
  });
  client.setRequestHandler("sampling/createMessage", () => SAMPLE);
  client.setRequestHandler("elicitation/create", () => ELICITED);
  client.setRequestHandler("roots/list", () => ROOTS);
  onTestFinished(() => client.close());
  await client.connect(
    start instanceof URL ? new HttpV2(start) : new StdioV2({ ...start, stderr: "ignore" }),
  );
  const call: Calling = async (params) =>
    (await client.callTool(params, PROGRESS)) as SdkResult["result"];
  return {
    tools: async () => (await client.listTools()).tools.map((tool) => tool.name),
    call: (name, args) => outcome(call, { name, arguments: args }),
    close: () => client.close(),
  };
}

/** Connects an official client to a command or a URL, for the running test. */
export function connectSdk(sdk: Sdk, start: Start): Promise<SdkClient> {
  if (sdk === "v1") return startV1(start);
  return startV2(start, sdk === "v2 legacy" ? "legacy" : "auto");
}
