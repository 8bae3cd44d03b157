import { isObject, type JsonObject, parseJson } from "@touchstone/core/advanced";
import {
  type Frame,
  LATEST,
  LATEST_LEGACY,
  REVISIONS,
  revisionOf,
  spliceFrame,
} from "@touchstone/protocol/advanced";
import { eraOf } from "../eras/eras.ts";
import { modernMembers, withRequestId } from "./envelope.ts";

/** How the server introduces itself. */
export interface Introduction {
  readonly capabilities: JsonObject;
  readonly serverInfo: JsonObject;
  readonly instructions?: string;
}

const SERVER_INFO = "io.modelcontextprotocol/serverInfo";

/** Returns what a recorded result of `initialize` or `server/discover` says of its server. */
export function introductionIn(response: Frame): Introduction | undefined {
  const range = response.ranges.result;
  const parsed = range === undefined ? undefined : parseJson(response.text(range));
  if (parsed?.ok !== true || !isObject(parsed.value)) return undefined;
  const { capabilities, serverInfo, instructions, _meta: meta } = parsed.value;
  const info = serverInfo ?? (isObject(meta) ? meta[SERVER_INFO] : undefined);
  if (!isObject(capabilities)) return undefined;
  return {
    capabilities,
    serverInfo: isObject(info) ? info : { name: "mock", version: "1" },
    ...(typeof instructions === "string" ? { instructions } : {}),
  };
}

/** Returns the revision that a connection gets whose client asked for one. */
export function agreedRevision(requested: string | undefined): string {
  const known = requested === undefined ? undefined : revisionOf(requested);
  return known !== undefined && eraOf(known).hasHandshake ? known.version : LATEST_LEGACY.version;
}

/** Returns a recorded result of `initialize` for a client that may ask for another revision. */
export function initializeResponse(
  recorded: Frame,
  request: Frame,
  asked: string | undefined,
): Uint8Array {
  const response = withRequestId(recorded, request.id ?? "null");
  const requested = request.initializeVersion;
  const range = recorded.range("/result/protocolVersion");
  if (range === undefined || requested === asked || recorded.initializeVersion === requested) {
    return response;
  }
  const edits = [{ range, text: JSON.stringify(agreedRevision(requested)) }];
  const id = recorded.ranges.id;
  if (id !== undefined) edits.push({ range: id, text: request.id ?? "null" });
  return spliceFrame(recorded.bytes, edits);
}

/** Returns the members of a generated result of `initialize`, as source text. */
export function initializeMembers(
  introduction: Introduction,
  requested: string | undefined,
): string {
  const { capabilities, serverInfo, instructions } = introduction;
  const protocolVersion = agreedRevision(requested);
  return membersText({ protocolVersion, capabilities, serverInfo, instructions });
}

/** Returns the members of a generated result of `server/discover`, as source text. */
export function discoverMembers({ capabilities, serverInfo, instructions }: Introduction): string {
  const supportedVersions = REVISIONS.map(({ version }) => version).toReversed();
  const own = {
    supportedVersions,
    capabilities,
    instructions,
    _meta: { [SERVER_INFO]: serverInfo },
  };
  return `${modernMembers("server/discover")},${membersText(own)}`;
}

/** The revisions without a handshake. */
export const MODERN_REVISIONS: readonly string[] = [LATEST.version];

function membersText(value: object): string {
  return JSON.stringify(value).slice(1, -1);
}
