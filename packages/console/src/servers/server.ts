import { numberOf, readList, textOf, textsOf } from "../api/gateway.ts";
import { isObject } from "../json/object.ts";
import { type Modes, readModes } from "./modes.ts";
import { type Policy, readPolicy } from "./policy.ts";

/** What goes on blocking while the checks of a server are paused, in numbers. */
export interface StillBlocking {
  /** 1 if policy blocks some of its tools. */
  readonly policy: number;
  readonly narrow: number;
  /** 1 if what is not approved is held back. */
  readonly pin: number;
  readonly limits: number;
}

/** A server as `GET /api/v1/servers` reports it. */
export interface ServerSummary {
  readonly name: string;
  readonly state: string;
  readonly error: string | null;
  readonly since: string | null;
  /** When the pause of its checks ends; null if they are not paused. */
  readonly pausedUntil: string | null;
  /** What goes on blocking during the pause, in numbers; null if there is none. */
  readonly stillBlocking: StillBlocking | null;
  /** Command or URL, without secrets. */
  readonly target: string;
  readonly transport: string | null;
  /** Path relative to the gateway's root. */
  readonly endpoint: string | null;
  readonly revisions: readonly string[];
  /** Names of its environment variables or headers. */
  readonly given: readonly string[];
  readonly sessions: number | null;
  readonly children: number | null;
  readonly capability: string | null;
  /** Null until a list was seen. */
  readonly tools: number | null;
  readonly schemaFaults: number | null;
  readonly modes: Modes;
}

/** A schema that cannot be used. */
export interface SchemaFault {
  readonly direction: string | null;
  readonly code: string | null;
  readonly message: string;
  readonly hint: string | null;
}

/** A schema that cannot be used, with its tool. */
export type ToolFault = SchemaFault & { readonly tool: string };

/** What one tool declares. */
export interface Contract {
  readonly tool: string;
  /** The MCP revisions in which it declares this; empty if unknown. */
  readonly revisions: readonly string[];
  readonly inputHash: string | null;
  readonly outputHash: string | null;
  readonly learnedAt: string | null;
  /** The setting of policy that does not allow it; null if none does. */
  readonly refusedBy: string | null;
  /** Whether the server lists the tool more than once. */
  readonly repeated: boolean;
  readonly faults: readonly SchemaFault[];
  /** What holds. */
  readonly modes: Modes;
  /** The modes that the configuration sets for the tool itself. */
  readonly own: Modes;
}

/** A tool that has settings but is in no list from the server. */
export interface UnlistedTool {
  readonly tool: string;
  /** The listed tool that was probably meant. */
  readonly closest: string | null;
  readonly modes: Modes;
  readonly own: Modes;
}

export interface ServerDetail extends ServerSummary {
  readonly own: Modes;
  readonly contracts: readonly Contract[];
  readonly unlisted: readonly UnlistedTool[];
  /** What limits its calls; undefined if nothing does. */
  readonly policy: Policy | undefined;
}

/** Reads a list item; undefined if it has no name. */
export function readServer(item: unknown): ServerSummary | undefined {
  const name = textOf(item, "name");
  if (!isObject(item) || name === null) return undefined;
  return {
    name,
    state: textOf(item, "state") ?? "unknown",
    error: textOf(item, "error"),
    since: textOf(item, "since"),
    pausedUntil: textOf(item, "pausedUntil"),
    stillBlocking: readStillBlocking(item["stillBlocking"]),
    target: textOf(item, "command") ?? textOf(item, "url") ?? "",
    transport: textOf(item, "transport"),
    endpoint: textOf(item, "endpoint"),
    revisions: textsOf(item["revisions"]) ?? [],
    given: [...(textsOf(item["env"]) ?? []), ...(textsOf(item["headers"]) ?? [])],
    sessions: numberOf(item, "sessions"),
    children: numberOf(item, "children"),
    capability: textOf(item, "capability"),
    tools: numberOf(item, "tools"),
    schemaFaults: numberOf(item, "schemaFaults"),
    modes: readModes(item["modes"]),
  };
}

function readStillBlocking(item: unknown): StillBlocking | null {
  const [policy, narrow] = [numberOf(item, "policy"), numberOf(item, "narrow")];
  const [pin, limits] = [numberOf(item, "pin"), numberOf(item, "limits")];
  if (policy === null || narrow === null || pin === null || limits === null) return null;
  return { policy, narrow, pin, limits };
}

function readFault(item: unknown): SchemaFault | undefined {
  const message = textOf(item, "message");
  if (message === null) return undefined;
  return {
    message,
    direction: textOf(item, "direction"),
    code: textOf(item, "code"),
    hint: textOf(item, "hint"),
  };
}

function readContract(item: unknown): Contract | undefined {
  const tool = textOf(item, "tool");
  if (!isObject(item) || tool === null) return undefined;
  return {
    tool,
    revisions: [textOf(item, "revision") ?? ""].filter((revision) => revision !== ""),
    inputHash: textOf(item, "inputHash"),
    outputHash: textOf(item, "outputHash"),
    learnedAt: textOf(item, "learnedAt"),
    refusedBy: textOf(item, "refusedBy"),
    repeated: item["repeated"] === true,
    faults: readList(item["faults"], readFault) ?? [],
    modes: readModes(item["modes"]),
    own: readModes(item["own"]),
  };
}

function readUnlisted(item: unknown): UnlistedTool | undefined {
  const tool = textOf(item, "tool");
  if (!isObject(item) || tool === null) return undefined;
  const closest = textOf(item, "closest");
  return { tool, closest, modes: readModes(item["modes"]), own: readModes(item["own"]) };
}

/** Merges a tool's contracts that are the same in several revisions, in the order of their first appearance. */
function mergeRevisions(contracts: readonly Contract[]): readonly Contract[] {
  const merged = new Map<string, Contract>();
  for (const contract of contracts) {
    const { revisions: _revisions, learnedAt: _learnedAt, ...said } = contract;
    const key = JSON.stringify(said);
    const first = merged.get(key) ?? { ...contract, revisions: [] };
    merged.set(key, { ...first, revisions: [...first.revisions, ...contract.revisions] });
  }
  return [...merged.values()];
}

/** Reads the response of `GET /api/v1/servers/{name}`; undefined if it is not valid. */
export function readServerDetail(answer: unknown): ServerDetail | undefined {
  const server = readServer(answer);
  if (server === undefined || !isObject(answer)) return undefined;
  const contracts = mergeRevisions(readList(answer["contracts"], readContract) ?? []);
  const unlisted = readList(answer["unlisted"], readUnlisted) ?? [];
  const policy = readPolicy(answer["policy"]);
  return { ...server, own: readModes(answer["own"]), contracts, unlisted, policy };
}

/** Returns a server's schemas that cannot be used, each once. */
export function faultsOf({ contracts }: Pick<ServerDetail, "contracts">): readonly ToolFault[] {
  const found = new Map<string, ToolFault>();
  for (const { tool, faults } of contracts) {
    for (const fault of faults) found.set(JSON.stringify([tool, fault]), { tool, ...fault });
  }
  return [...found.values()];
}
