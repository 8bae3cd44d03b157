import { setImmediate as nextTurn } from "node:timers/promises";
import {
  compileDeclared,
  encodeUtf8,
  messageOf,
  parseJson,
  type SchemaError,
} from "@touchstone/core/advanced";
import {
  blocksUnusable,
  decideTool,
  decideUnknownCall,
  isExternal,
  PRESETS,
  type PresetName,
  refusesTools,
  type ServerConfig,
  type UnmatchedPattern,
  unmatchedPatterns,
} from "@touchstone/gateway/config";
import { toolTexts } from "@touchstone/protocol/advanced";
import type { ReachableServer } from "../config-file/configured.ts";
import type { ReportFinding } from "../findings/finding.ts";
import { type Connection, type ConnectOptions, connect } from "../servers/connect.ts";
import { toolFindingName } from "../tools/list-tools.ts";
import { countOpenTool, type OpenTools } from "../tools/openness.ts";
import { StderrTail } from "./stderr-tail.ts";

/** A tool with an unusable schema, and what the gateway does about it. */
export interface BrokenContract {
  readonly tool: string;
  readonly direction: "input" | "output";
  readonly fault: SchemaError;
  readonly effect: "passes unchecked" | "is blocked";
}

/** Calls whose tool's declaration the gateway would not know, and what it does about them. */
export interface UnknownSchemas {
  /** The tool that is called; absent for all tools that are not listed. */
  readonly tool?: string;
  readonly reason: string;
  /** The result according to `on_unknown_schema` and the modes. */
  readonly effect: BrokenContract["effect"];
}

/** The findings about one server. */
export interface ServerExamination {
  readonly server: string;
  readonly transport: "stdio" | "http";
  /**
   * Whether its entry starts `touchstone wrap`. The server was started without the wrap; the checks are those of the
   * wrap.
   */
  readonly wrapped?: true;
  /** The command line without secrets, or the URL. */
  readonly upstream: string;
  readonly modes: { readonly input: string; readonly output: string; readonly protocol: string };
  /** The preset of the server, or of the level above. */
  readonly preset?: PresetName;
  /** The modes of `policy` and `pin` in force that are not those of the preset; absent if there are none. */
  readonly presetDiffers?: readonly string[];
  readonly reachable: boolean;
  /** Why it is unreachable, or returns no list of tools. */
  readonly reason?: string;
  /** The last lines of its stderr, if it is unreachable or returns no list. */
  readonly stderr?: readonly string[];
  /** `name/version` of the server. */
  readonly identity?: string;
  readonly revision?: string;
  readonly tools?: number;
  /** Tools that declare an output schema. */
  readonly outputSchemas?: number;
  /** Tools whose schema neither allows nor forbids undeclared arguments. */
  readonly undeclared?: OpenTools;
  /** What is wrong with its responses, apart from single tools; absent if nothing is. */
  readonly findings?: readonly ReportFinding[];
  readonly broken: readonly BrokenContract[];
  /** How many tools these are; absent if there are none. A tool with one blocked direction counts as blocked. */
  readonly unusable?: { readonly blocked: number; readonly unchecked: number };
  /** What `adapt` changes in its list, and what clients still object to, for each tool; absent if nothing. */
  readonly adapted?: readonly AdaptedTool[];
  /** Tools that it lists more than once; the last declaration of each counts. */
  readonly repeated?: readonly string[];
  /** Calls that cannot be checked, because the server does not list the tool; absent if there are none. */
  readonly unknown?: readonly UnknownSchemas[];
  /** The policy's decisions about its tools; absent if there is no policy, or no list. */
  readonly policy?: ExaminedPolicy;
  /** Whether it responds but returns no list of tools. */
  readonly listFails?: boolean;
  /** The hash of each tool's definition, if requested. */
  readonly hashes?: ReadonlyMap<string, string>;
}

/** The policy's decisions about the tools of one server. */
export interface ExaminedPolicy {
  readonly mode: string;
  /** The tools that it refuses, in any mode, and the setting. */
  readonly refused: readonly { readonly tool: string; readonly setting: string }[];
  /** Patterns that match none of the server's tools; those of the top level may match tools of other servers. */
  readonly unmatched: readonly UnmatchedPattern[];
}

interface Declaration {
  readonly name: string;
  readonly annotations?: unknown;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
}

function presetOf(
  preset: PresetName,
  { settings: { policy, pin } }: Pick<ReachableServer, "settings">,
): Pick<ServerExamination, "preset" | "presetDiffers"> {
  const set = PRESETS[preset];
  const inForce = [
    ["policy", set.policy?.mode, policy?.mode],
    ["pin", set.pin, pin?.mode],
  ] as const;
  const presetDiffers = inForce.flatMap(([name, wanted, mode = "off"]) =>
    wanted === undefined || wanted === mode ? [] : `${name} ${mode}`,
  );
  return { preset, ...(presetDiffers.length > 0 && { presetDiffers }) };
}

/** Connects to a server as the gateway would and checks every contract. Never rejects. */
export async function examineServer(
  config: ReachableServer,
  upstream: string,
  options: Omit<ConnectOptions, "stderr"> & {
    /** How many tools of a list a gateway reads (`limits.tools`). */
    readonly maxTools: number;
    /** Whether to hash the definitions of tools. */
    readonly hashes?: boolean;
  },
): Promise<ServerExamination> {
  const { input, output, protocol } = config.settings;
  const known = {
    server: config.name,
    transport: config.upstream.type,
    upstream,
    modes: { input: input.mode, output: output.mode, protocol: protocol.mode },
    ...(config.preset === undefined ? {} : presetOf(config.preset, config)),
  };
  const said = new StderrTail(config);
  try {
    const connection = await connect(config, { ...options, stderr: said.take });
    try {
      const pages: string[] = [];
      const { adapt } = config.settings;
      const isKept = adapt !== undefined || options.hashes === true;
      const keep = isKept ? (text: string) => pages.push(text) : undefined;
      const listed = await connection.listTools(keep).catch((error: unknown) => {
        options.stop.throwIfAborted();
        return error instanceof Error ? error : new Error(String(error));
      });
      const answers = {
        ...known,
        reachable: true,
        identity: connection.server,
        revision: connection.revision,
      };
      if (listed instanceof Error) {
        const unknown = unknownIf(config, "its tool list cannot be fetched");
        const more = { ...findingsOf(connection), ...lastWords(said) };
        const reason = listed.message;
        return { ...answers, reason, ...more, listFails: true, unknown, broken: [] };
      }
      const tools = listed.flatMap(declaration);
      const byName = new Map(tools.map((tool) => [tool.name, tool]));
      const earlier = tools.filter((tool) => byName.get(tool.name) !== tool);
      const repeated = new Set(earlier.map(({ name }) => name));
      const unknown = unlisted(byName, connection, config, options.maxTools);
      return {
        ...answers,
        tools: tools.length,
        outputSchemas: tools.filter(({ outputSchema }) => (outputSchema ?? null) !== null).length,
        ...findingsOf(connection),
        ...(await contracts(byName.values(), config, options.stop)),
        ...(adapt && (await adapted(listed, pages, config, adapt, options.stop))),
        ...(repeated.size === 0 ? {} : { repeated: [...repeated] }),
        ...(unknown.length === 0 ? {} : { unknown }),
        ...(options.hashes === true ? { hashes: await hashesOf(pages, tools) } : {}),
        ...examinedPolicy([...byName.values()], config),
      };
    } finally {
      await connection.close();
    }
  } catch (error) {
    const reason = messageOf(error);
    return { ...known, reachable: false, reason, ...lastWords(said), broken: [] };
  }
}

/** Returns the hashes of definitions by name; if several have one name, the last counts. */
async function hashesOf(
  pages: readonly string[],
  tools: readonly Declaration[],
): Promise<ReadonlyMap<string, string>> {
  const { canonicalDefinition } = await import("@touchstone/protocol/lock");
  const wanted = new Set(tools.map(({ name }) => name));
  const hashes = new Map<string, string>();
  for (const text of pages.flatMap((page) => toolTexts(encodeUtf8(page), "/tools"))) {
    const parsed = parseJson(text);
    const [tool] = parsed.ok ? declaration(parsed.value) : [];
    const hash = canonicalDefinition(text)?.hash;
    if (tool !== undefined && hash !== undefined && wanted.has(tool.name)) {
      hashes.set(tool.name, hash);
    }
  }
  return hashes;
}

/** The changes that `adapt` makes to a tool. */
export interface AdaptedTool {
  readonly tool: string;
  /** Whether the clients of `adapt.for` still refuse it. */
  readonly refused: boolean;
  /** The changes and remaining objections, one sentence each. */
  readonly changes: readonly string[];
}

function lastWords({ lines }: StderrTail): Pick<ServerExamination, "stderr"> {
  return lines.length === 0 ? {} : { stderr: lines };
}

function findingsOf({ findings }: Connection): Pick<ServerExamination, "findings"> {
  return findings.length === 0 ? {} : { findings };
}

/** Returns the gateway's changes of a list, for a client of unknown name. */
async function adapted(
  tools: readonly unknown[],
  pages: readonly string[],
  { settings: ofServer, tools: ofTools }: ServerConfig,
  settings: NonNullable<ServerConfig["settings"]["adapt"]>,
  stop: AbortSignal,
): Promise<Pick<ServerExamination, "adapted">> {
  const { adaptListSteps, remainingObjectionsText, adaptViewFor } = await import(
    "@touchstone/gateway/adapt"
  );
  const texts = pages.flatMap((page) => toolTexts(encodeUtf8(page), "/tools"));
  const listed = texts.map((text, at) => {
    const [tool] = declaration(tools[at]);
    return { name: tool?.name, text: encodeUtf8(text) };
  });
  const isStrict = (tool = ""): boolean => (ofTools.get(tool) ?? ofServer).input.mode === "strict";
  const { names } = settings;
  const steps = adaptListSteps(listed, adaptViewFor(settings, undefined), { names, isStrict });
  let step = steps.next();
  for (let since = performance.now(); step.done !== true; step = steps.next()) {
    if (performance.now() - since < TURN_MS) continue;
    await nextTurn();
    stop.throwIfAborted();
    since = performance.now();
  }
  const made = step.value;
  const found = made.flatMap(({ text, changes, left }, at) => {
    const still = remainingObjectionsText(left);
    if (changes.length === 0 && still === undefined) return [];
    const said = changes.map(({ message, isLeft }) =>
      text === undefined ? `left out: ${message}` : isLeft ? `not adapted: ${message}` : message,
    );
    const all = still === undefined ? said : [still, ...said];
    return [
      { tool: toolFindingName(tools[at], at), refused: (left?.errors ?? 0) > 0, changes: all },
    ];
  });
  return found.length === 0 ? {} : { adapted: found };
}

function examinedPolicy(
  tools: readonly Declaration[],
  { settings: { policy } }: ServerConfig,
): Pick<ServerExamination, "policy"> {
  if (!refusesTools(policy) || policy === undefined) return {};
  const refused = tools.flatMap(({ name, annotations }) => {
    const isReadOnly = Object(annotations)["readOnlyHint"] === true;
    const { keyword: setting } = decideTool(policy, { name, isReadOnly });
    return setting === undefined ? [] : [{ tool: name, setting }];
  });
  const names = tools.map(({ name }) => name);
  return { policy: { mode: policy.mode, refused, unmatched: unmatchedPatterns(policy, names) } };
}

/** Returns why calls of unlisted tools could not be checked. */
function unlisted(
  tools: ReadonlyMap<string, Declaration>,
  { isCut, offersTools }: Connection,
  config: ServerConfig,
  maxTools: number,
): readonly UnknownSchemas[] {
  const unread = tools.size - maxTools;
  const reasons = [
    ...(unread > 0
      ? [`it lists ${tools.size} tools, and limits.tools is ${maxTools}: raise it`]
      : []),
    ...(isCut ? ["its list of tools is incomplete"] : []),
    ...(tools.size === 0 && !offersTools ? ["it does not declare the capability tools"] : []),
    ...(tools.size === 0 && offersTools ? ["it lists no tools"] : []),
  ];
  const set = [...config.tools.keys()].filter((name) => !tools.has(name));
  return [
    ...reasons.flatMap((reason) => unknownIf(config, reason)),
    ...set.flatMap((tool) =>
      unknownIf(config, "is configured, but the server does not list it", tool),
    ),
  ];
}

/** Returns what the gateway does with a call that cannot be checked; undefined if no check was requested. */
function unknownIf(config: ServerConfig, reason: string, tool?: string): readonly UnknownSchemas[] {
  const settings = (tool === undefined ? undefined : config.tools.get(tool)) ?? config.settings;
  const { decision, record } = decideUnknownCall(settings);
  if (!record) return [];
  const effect = decision === "blocked" ? "is blocked" : "passes unchecked";
  return [{ ...(tool === undefined ? {} : { tool }), reason, effect }];
}

function declaration(tool: unknown): readonly Declaration[] {
  if (typeof tool !== "object" || tool === null || !("name" in tool)) return [];
  return typeof tool.name === "string" ? [{ ...tool, name: tool.name }] : [];
}

/**
 * For how many milliseconds to read schemas before other work runs, so that messages of servers are read in time.
 */
const TURN_MS = 10;

async function contracts(
  tools: Iterable<Declaration>,
  config: ServerConfig,
  stop: AbortSignal,
): Promise<Pick<ServerExamination, "broken" | "unusable" | "undeclared">> {
  const broken: BrokenContract[] = [];
  const undeclared = { open: 0, empty: 0 };
  let since = performance.now();
  for (const tool of tools) {
    broken.push(...brokenContract(tool, config));
    countOpenTool(undeclared, tool);
    if (performance.now() - since < TURN_MS) continue;
    await nextTurn();
    stop.throwIfAborted();
    since = performance.now();
  }
  return { broken, ...unusable(broken), undeclared };
}

function unusable(broken: readonly BrokenContract[]): Pick<ServerExamination, "unusable"> {
  if (broken.length === 0) return {};
  const blocks = broken.filter(({ effect }) => effect === "is blocked");
  const blocked = new Set(blocks.map(({ tool }) => tool)).size;
  const all = new Set(broken.map(({ tool }) => tool)).size;
  return { unusable: { blocked, unchecked: all - blocked } };
}

function brokenContract(tool: Declaration, config: ServerConfig): readonly BrokenContract[] {
  const settings = config.tools.get(tool.name) ?? config.settings;
  return (["input", "output"] as const).flatMap((direction) => {
    const schema = direction === "input" ? tool.inputSchema : tool.outputSchema;
    const { error: fault } = compileDeclared({ value: schema });
    if (fault === undefined) return [];
    const blocks = blocksUnusable(settings[direction], isExternal({ error: fault }));
    const effect = blocks ? ("is blocked" as const) : ("passes unchecked" as const);
    return [{ tool: tool.name, direction, fault, effect }];
  });
}
