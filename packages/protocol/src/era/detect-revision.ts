import type { Frame } from "../frame.ts";
import type { HeaderLookup } from "../headers/request-headers.ts";
import type { Revision } from "../revisions/revision.ts";
import { LATEST, revisionOf } from "../revisions/revisions.ts";

/** What a message and its headers report the revision that it is written for. */
export interface DetectedRevision {
  /** The `protocolVersion` that was named or is to be assumed. */
  readonly version: string | undefined;
  /** The revision of this version, where it is known. */
  readonly revision: Revision | undefined;
  /** Undefined if nothing tells it, as in most messages of the legacy era over stdio. */
  readonly era: Revision["era"] | undefined;
  /**
   * What told it: `_meta` of the params; `initialize`, its params or its result; the header
   * `MCP-Protocol-Version`; the method, where only one era has it; or `absent`, where a request over
   * HTTP without the header is treated as 2025-03-26 (MCP 2025-06-18, Transports).
   */
  readonly source: "meta" | "initialize" | "header" | "method" | "absent" | undefined;
}

/** What there is to tell the revision of a message by. */
export interface DetectOptions {
  readonly frame: Frame;
  /** The headers of the HTTP request; left out if there is no HTTP. */
  readonly headers?: HeaderLookup | undefined;
  /** The method of the request that a response answers. */
  readonly requestMethod?: string | undefined;
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;
/** What a server assumes of a request without the header. */
const WITHOUT_HEADER = "2025-03-26";

/** Versions are dates, so that the era of one that is not known can be told. */
function eraOf(version: string): Revision["era"] | undefined {
  const known = revisionOf(version)?.era;
  if (known !== undefined || !DATE.test(version)) return known;
  return version >= LATEST.version ? "modern" : "legacy";
}

function detected(version: string, source: DetectedRevision["source"]): DetectedRevision {
  return { version, revision: revisionOf(version), era: eraOf(version), source };
}

/**
 * Tells the revision of one message. The body counts before the headers, which only repeat it;
 * whether they agree is for `headerFault` to say. `initialize` belongs to the legacy era, unless
 * its `_meta` names a modern version (MCP 2026-07-28, Versioning).
 */
export function detectRevision({ frame, headers, requestMethod }: DetectOptions): DetectedRevision {
  const { method, protocolVersion, initializeVersion } = frame;
  if (
    protocolVersion !== undefined &&
    (method !== "initialize" || eraOf(protocolVersion) === "modern")
  ) {
    return detected(protocolVersion, "meta");
  }
  if (method === "initialize" || (frame.kind === "response" && requestMethod === "initialize")) {
    const found =
      initializeVersion === undefined ? undefined : detected(initializeVersion, "initialize");
    return {
      version: found?.version,
      revision: found?.revision,
      era: "legacy",
      source: "initialize",
    };
  }
  const header = headers?.("mcp-protocol-version")?.trim();
  if (header !== undefined && header !== "") return detected(header, "header");
  if (method === "server/discover" || method === "subscriptions/listen") {
    return { version: undefined, revision: undefined, era: "modern", source: "method" };
  }
  if (headers !== undefined) return detected(WITHOUT_HEADER, "absent");
  return { version: undefined, revision: undefined, era: undefined, source: undefined };
}
