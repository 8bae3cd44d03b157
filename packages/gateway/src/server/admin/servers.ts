import { basename } from "node:path";
import type { ServerConfig } from "../../config/config.ts";
import type { WrittenModes } from "../../config/edit/modes.ts";
import { type ConfigFault, formatFault } from "../../config/faults.ts";
import { shownUpstream } from "../../config/shown-upstream.ts";
import type { KnownContract } from "../../contracts/contract-catalogue.ts";
import { capabilityOf } from "../../features/capability/capability.ts";
import { blocksUnusable } from "../../features/invalid-schemas/decide.ts";
import { shownToolSettings } from "../../features/level-settings.ts";
import { decideTool } from "../../features/tool-lists/decide.ts";
import { type CallerRules, stillBlocking } from "../../policy/still-blocking.ts";
import type { Endpoint } from "../../relay/http/endpoint.ts";
import type { ServerRuntime } from "../../relay/server-runtime.ts";
import type { ServerDetail, ServerSummary, ShownContract, ShownPolicy } from "../api/schemas.ts";
import type { ContractFaults, ResponseFaults } from "./contract-faults.ts";
import { modesOf } from "./modes.ts";
import { unlistedTools } from "./unlisted-tools.ts";

/** A configured server, and its runtime; undefined if it is disabled. */
export interface ConfiguredServer {
  readonly config: ServerConfig;
  readonly served: { readonly runtime: ServerRuntime; readonly endpoint: Endpoint } | undefined;
}

/**
 * Returns why an entry of a configuration cannot be served, in one line: each fault with its place in the file, which
 * is named without its directory.
 */
export function faultsText(faults: readonly ConfigFault[]): string {
  return faults.map((fault) => formatFault({ ...fault, file: basename(fault.file) })).join("; ");
}

/** Returns the status of a server that is disabled. */
function idle({ upstream, faults = [] }: ServerConfig): DisabledHealth {
  if (upstream.type === "wrap") {
    return { state: "wrapped", error: undefined, since: undefined, children: 0 };
  }
  const error = faults.length === 0 ? undefined : faultsText(faults);
  return { state: "disabled", error, since: undefined, children: 0 };
}

interface DisabledHealth {
  readonly state: "disabled" | "wrapped";
  readonly error: string | undefined;
  readonly since: undefined;
  readonly children: 0;
}

/** Returns the summary of a server. */
export async function serverSummary(
  { config, served }: ConfiguredServer,
  faults: ResponseFaults,
  callers: CallerRules,
): Promise<ServerSummary> {
  const { name, disabled, settings, preset } = config;
  const { state, error, since, children } = served?.runtime.status.health ?? idle(config);
  const contracts = served?.runtime.catalogue.all();
  const pause = served?.runtime.pause;
  return {
    name,
    ...shownUpstream(config),
    disabled,
    state,
    ...(error === undefined ? {} : { error }),
    ...(since === undefined ? {} : { since: since.toISOString() }),
    ...(pause === undefined
      ? {}
      : {
          pausedUntil: pause.until.toISOString(),
          stillBlocking: stillBlocking([config], pause.policy === true, callers),
        }),
    endpoint: `mcp/${encodeURIComponent(name)}`,
    ...(served?.runtime.identity !== undefined && { identity: served.runtime.identity }),
    revisions: served?.runtime.revisions ?? [],
    sessions: served?.endpoint.sessions ?? 0,
    children,
    modes: modesOf(settings),
    toolModes: toolModes(config),
    ...(preset === undefined ? {} : { preset }),
    capability: capabilityOf(settings),
    tools: contracts === undefined ? null : new Set(contracts.map(nameOf)).size,
    ...(await unusable(config, contracts, faults)),
  };
}

/** Returns the modes of the tools whose modes are not those of their server. */
function toolModes({ settings, tools }: ServerConfig): ServerSummary["toolModes"] {
  const ofServer = JSON.stringify(modesOf(settings));
  const others = [...tools]
    .map(([tool, own]) => [tool, modesOf(own)] as const)
    .filter(([, modes]) => JSON.stringify(modes) !== ofServer);
  return Object.fromEntries(others);
}

/** Returns the details of a server and of each of its tools. */
export async function serverDetail(
  server: ConfiguredServer,
  faults: ContractFaults,
  written: WrittenModes,
  callers: CallerRules,
): Promise<ServerDetail> {
  const { name, settings, tools } = server.config;
  const known = server.served?.runtime.catalogue.all();
  const once = faults.once();
  const contracts: ShownContract[] = [];
  for (const { contract, revision, learnedAt, repeated } of known ?? []) {
    const { name: tool, inputHash = null, outputHash = null } = contract;
    contracts.push({
      tool,
      revision,
      inputHash,
      outputHash,
      faults: (await once.of(contract)).map(({ isExternal: _, isUnread: __, ...fault }) => fault),
      modes: modesOf(tools.get(tool) ?? settings),
      own: written.at({ server: name, tool }),
      refusedBy: decideTool(settings.policy, contract).keyword ?? null,
      repeated,
      learnedAt: learnedAt.toISOString(),
    });
  }
  const policy = shownPolicy(server.config);
  return {
    ...(await serverSummary(server, once, callers)),
    own: written.at({ server: name }),
    contracts,
    unlisted: unlistedTools(server.config, known, written),
    ...(policy === undefined ? {} : { policy }),
  };
}

/** Returns what limits the calls of a server; undefined if nothing does. */
function shownPolicy({ settings, tools }: ServerConfig): ShownPolicy | undefined {
  const { policy, limits = [] } = settings;
  const limited = [...tools].flatMap(([tool, own]) => {
    const shown = shownToolSettings(own);
    return shown === undefined ? [] : { tool, ...shown };
  });
  const isLimited = limits.length > 0 || limited.length > 0;
  if (policy === undefined && !isLimited) return undefined;
  return {
    mode: policy?.mode ?? "strict",
    levels: policy?.levels ?? [],
    limits,
    tools: limited,
  };
}

function nameOf({ contract }: KnownContract): string {
  return contract.name;
}

/**
 * Counts the schemas that cannot be used, and the tools that have one, by what happens to their calls. A schema or a
 * tool in several revisions counts once. A schema that was not read completely counts as one that cannot be used.
 */
async function unusable(
  { settings, tools }: Pick<ServerConfig, "settings" | "tools">,
  contracts: readonly KnownContract[] | undefined,
  faults: ResponseFaults,
): Promise<Pick<ServerSummary, "schemaFaults" | "unreadSchemas" | "unusableTools">> {
  if (contracts === undefined) {
    return { schemaFaults: null, unreadSchemas: null, unusableTools: null };
  }
  const found = new Set<string>();
  const unread = new Set<string>();
  const isBlocked = new Map<string, boolean>();
  for (const { contract } of contracts) {
    const { name, inputHash, outputHash } = contract;
    const own = tools.get(name) ?? settings;
    for (const { direction, isExternal, isUnread } of await faults.of(contract)) {
      const schema = [name, direction, direction === "input" ? inputHash : outputHash];
      found.add(JSON.stringify(schema));
      if (isUnread) unread.add(JSON.stringify(schema));
      const blocks = blocksUnusable(own[direction], isExternal);
      isBlocked.set(name, blocks || isBlocked.get(name) === true);
    }
  }
  const blocked = [...isBlocked.values()].filter((is) => is).length;
  return {
    schemaFaults: found.size,
    unreadSchemas: unread.size,
    unusableTools: { blocked, unchecked: isBlocked.size - blocked },
  };
}
