import { compileSchema, type SchemaFault } from "@touchstone/core";
import type { ServerConfig } from "@touchstone/gateway/config";
import type { ReportFinding } from "../findings/finding.ts";
import { type ConnectOptions, connect } from "../servers/connect.ts";
import { LastWords } from "./last-words.ts";

/** A tool whose schema cannot be used, and what the gateway does about it. */
export interface BrokenContract {
  readonly tool: string;
  readonly direction: "input" | "output";
  readonly fault: SchemaFault;
  readonly effect: "passes unchecked" | "is blocked";
}

/** What was found out about one server. */
export interface Examination {
  readonly server: string;
  readonly transport: "stdio" | "http";
  /** The command line without secrets, or the URL. */
  readonly upstream: string;
  readonly modes: { readonly input: string; readonly output: string; readonly protocol: string };
  readonly reachable: boolean;
  /** Why it is not reachable. */
  readonly reason?: string;
  /** The last lines that it wrote to stderr, where it is not reachable and wrote any. */
  readonly stderr?: readonly string[];
  /** `name/version` of the server. */
  readonly identity?: string;
  readonly revision?: string;
  readonly tools?: number;
  /** Tools that declare an output schema. */
  readonly outputSchemas?: number;
  /** What is wrong with its answers, single tools left aside; absent if nothing is. */
  readonly findings?: readonly ReportFinding[];
  readonly broken: readonly BrokenContract[];
  /** Tools that it lists more than once; the last declaration of each counts. */
  readonly repeated?: readonly string[];
}

interface Declaration {
  readonly name: string;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
}

/** Connects to a server as the gateway would and looks at every contract. Never rejects. */
export async function examine(
  config: ServerConfig,
  upstream: string,
  options: Omit<ConnectOptions, "stderr">,
): Promise<Examination> {
  const { input, output, protocol } = config.settings;
  const known = {
    server: config.name,
    transport: config.upstream.type,
    upstream,
    modes: { input: input.mode, output: output.mode, protocol: protocol.mode },
  };
  const said = new LastWords(config);
  try {
    const connection = await connect(config, { ...options, stderr: said.take });
    try {
      const tools = (await connection.listTools()).flatMap(declaration);
      const byName = new Map(tools.map((tool) => [tool.name, tool]));
      const earlier = tools.filter((tool) => byName.get(tool.name) !== tool);
      const repeated = new Set(earlier.map(({ name }) => name));
      return {
        ...known,
        reachable: true,
        identity: connection.server,
        revision: connection.revision,
        tools: tools.length,
        outputSchemas: tools.filter(({ outputSchema }) => (outputSchema ?? null) !== null).length,
        ...(connection.findings.length === 0 ? {} : { findings: connection.findings }),
        broken: [...byName.values()].flatMap((tool) => brokenContracts(tool, config)),
        ...(repeated.size === 0 ? {} : { repeated: [...repeated] }),
      };
    } finally {
      await connection.close();
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const stderr = said.lines.length === 0 ? {} : { stderr: said.lines };
    return { ...known, reachable: false, reason, ...stderr, broken: [] };
  }
}

function declaration(tool: unknown): readonly Declaration[] {
  if (typeof tool !== "object" || tool === null || !("name" in tool)) return [];
  return typeof tool.name === "string" ? [{ ...tool, name: tool.name }] : [];
}

function brokenContracts(tool: Declaration, config: ServerConfig): readonly BrokenContract[] {
  const settings = config.tools.get(tool.name) ?? config.settings;
  return (["input", "output"] as const).flatMap((direction) => {
    const schema = direction === "input" ? tool.inputSchema : tool.outputSchema;
    const { fault } = compileSchema({ value: schema });
    const { mode, onInvalidSchema } = settings[direction];
    if (fault === undefined) return [];
    const blocks = mode === "strict" && onInvalidSchema === "block";
    const effect = blocks ? ("is blocked" as const) : ("passes unchecked" as const);
    return [{ tool: tool.name, direction, fault, effect }];
  });
}
