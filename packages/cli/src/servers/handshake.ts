import { isObject, type JsonObject, parseJson } from "@touchstone/core/advanced";
import {
  type Frame,
  LATEST,
  LATEST_LEGACY,
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_PROTOCOL_VERSION,
  REVISIONS,
  refusedRevisionBy,
  revisionOf,
} from "@touchstone/protocol/advanced";
import type { ReportFinding } from "../findings/finding.ts";
import { JsonRpcResponseError } from "./json-rpc-error.ts";
import type { ServerPeer } from "./peer.ts";
import { answerFindings, serverFinding } from "./response-findings.ts";

/**
 * How long to wait for a stdio server's response to the first request, which old servers may ignore, in milliseconds.
 * A server that responds later is merely slow to start.
 */
const FIRST_MS = 3_000;
/**
 * The largest share of the timeout for the first request: at least a quarter remains for the handshake of old
 * servers.
 */
const FOR_THE_FIRST = 0.75;

/** The `_meta` key under which a server identifies itself (MCP 2026-07-28). */
const META_SERVER_INFO = "io.modelcontextprotocol/serverInfo";

/** The revisions that SDK clients accept from `initialize`, including one from before the first release. */
const INITIALIZED: ReadonlySet<string> = new Set([
  "2024-10-07",
  ...REVISIONS.filter(({ handshake }) => handshake).map(({ version }) => version),
]);

/** How a command identifies itself. */
export interface ClientInfo {
  readonly name: string;
  readonly version: string;
}

/** Facts that a server reports about itself, except its lists. Missing or malformed members are absent. */
export interface ServerInfo {
  readonly identity: {
    readonly name?: string;
    readonly title?: string;
    readonly version?: string;
  };
  readonly instructions?: string;
  readonly capabilities: JsonObject;
}

/** The facts that a server reports about itself, and the faults in them. */
export interface ServerIntroduction {
  /** The revision that the server names; `unknown` if it names none. */
  readonly revision: string;
  /** The request whose response contains them. */
  readonly by: "initialize" | "server/discover";
  /** Members to send in the params of every later request. */
  readonly context: JsonObject;
  /** `name/version` of the server. */
  readonly server: string;
  /** Whether it declares that it has tools. */
  readonly hasTools: boolean;
  readonly about: ServerInfo;
  readonly findings: readonly ReportFinding[];
}

/** Returns how long to wait for the response to the first request, given the timeout for a response. */
export function firstRequestTimeout(timeout: number, most: number = FIRST_MS): number {
  return Math.min(most, Math.max(1, Math.floor(timeout * FOR_THE_FIRST)));
}

/** Returns the `_meta` in which a client describes its context (MCP 2026-07-28, `_meta`). */
function contextOf(client: ClientInfo): JsonObject {
  return {
    [META_PROTOCOL_VERSION]: LATEST.version,
    [META_CLIENT_INFO]: client,
    [META_CLIENT_CAPABILITIES]: {},
  };
}

/** Returns the result of a response as a value; undefined if there is none. */
export function resultOf({ ranges, bytes }: Frame): unknown {
  const range = ranges.result;
  const parsed = range && parseJson(bytes.subarray(range.start, range.end));
  return parsed?.ok ? parsed.value : undefined;
}

/**
 * Asks whether a server supports the latest revision.
 * @returns undefined if it does not, or if its response does not show that it does
 * @throws Error if it cannot be reached, or ends
 */
export async function discover(
  peer: ServerPeer,
  client: ClientInfo,
  timeout: number,
  signal?: AbortSignal,
): Promise<ServerIntroduction | undefined> {
  const context = { _meta: contextOf(client) };
  const params = JSON.stringify(context);
  const frame = await peer
    .request("server/discover", params, timeout, signal)
    .catch((error: unknown) => {
      if (error instanceof JsonRpcResponseError) return undefined;
      throw error;
    });
  const result = frame && resultOf(frame);
  if (frame === undefined || !isObject(result)) return undefined;
  const { supportedVersions, _meta, serverInfo } = result;
  if (!Array.isArray(supportedVersions) || !supportedVersions.includes(LATEST.version)) {
    return undefined;
  }
  const info = isObject(_meta) ? (_meta[META_SERVER_INFO] ?? serverInfo) : serverInfo;
  return {
    revision: LATEST.version,
    by: "server/discover",
    context,
    server: identity(info),
    hasTools: declaresTools(result),
    about: aboutOf(info, result),
    findings: answerFindings(frame, "server/discover", [LATEST]),
  };
}

/**
 * Performs the handshake of the revisions up to 2025-11-25.
 * @throws Error if the server refuses, ends, or does not respond in time
 */
export async function initialize(
  peer: ServerPeer,
  client: ClientInfo,
  timeout: number,
  signal?: AbortSignal,
): Promise<ServerIntroduction> {
  const asked = {
    protocolVersion: LATEST_LEGACY.version,
    capabilities: {},
    clientInfo: client,
  };
  const frame = await peer
    .request("initialize", JSON.stringify(asked), timeout, signal)
    .catch((error: unknown) => {
      throw refusal(error, asked.protocolVersion) ?? error;
    });
  const given = resultOf(frame);
  const result: JsonObject = isObject(given) ? given : {};
  const { protocolVersion: named } = result;
  const revision = typeof named === "string" ? named : "unknown";
  peer.notify("notifications/initialized");
  const own = revisionOf(revision);
  const revisions = own?.handshake && own !== LATEST_LEGACY ? [own] : [];
  // SDK clients read every response by the newest revision that they support.
  const findings = answerFindings(frame, "initialize", [...revisions, LATEST_LEGACY]);
  return {
    revision,
    by: "initialize",
    context: {},
    server: identity(result["serverInfo"]),
    hasTools: declaresTools(result),
    about: aboutOf(result["serverInfo"], result),
    findings:
      typeof named !== "string" || INITIALIZED.has(named)
        ? findings
        : [...findings, revisionFinding(named)],
  };
}

/**
 * Returns an error that explains why a server refused the revision of `initialize`, if the server's error shows that.
 */
function refusal(error: unknown, requested: string): Error | undefined {
  if (!(error instanceof JsonRpcResponseError)) return undefined;
  const { code, data } = error;
  const said = refusedRevisionBy(Number(code), data, { method: "initialize", requested });
  return said === undefined ? undefined : new Error(said);
}

function revisionFinding(named: string): ReportFinding {
  const known = [...INITIALIZED].filter((version) => revisionOf(version) !== undefined);
  return serverFinding({
    rule: "initialize-result",
    subject: "initialize",
    path: "/result/protocolVersion",
    message: `the revision ${JSON.stringify(named.slice(0, 80))} is not one that has this handshake; SDK clients disconnect`,
    fix: `Respond with the revision that was requested, or one of ${known.join(", ")}.`,
  });
}

function identity(info: unknown): string {
  const { name, version }: JsonObject = isObject(info) ? info : {};
  const text = (value: unknown, otherwise: string): string =>
    typeof value === "string" ? value : otherwise;
  return `${text(name, "unknown")}/${text(version, "?")}`;
}

function aboutOf(info: unknown, { instructions, capabilities }: JsonObject): ServerInfo {
  const given: JsonObject = isObject(info) ? info : {};
  const texts = (["name", "title", "version"] as const).flatMap((name) =>
    typeof given[name] === "string" ? [[name, given[name]]] : [],
  );
  return {
    identity: Object.fromEntries(texts),
    ...(typeof instructions === "string" ? { instructions } : {}),
    capabilities: isObject(capabilities) ? capabilities : {},
  };
}

function declaresTools({ capabilities }: JsonObject): boolean {
  return isObject(capabilities) && (capabilities["tools"] ?? null) !== null;
}
