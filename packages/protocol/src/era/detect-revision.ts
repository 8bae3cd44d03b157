import type { Frame } from "../frame.ts";
import type { HeaderLookup } from "../headers/request-headers.ts";
import type { Revision } from "../revisions/revision.ts";
import { FIRST_MODERN, revisionOf } from "../revisions/revisions.ts";

/** The revision that a message is written for, according to the message and its headers. */
export interface DetectedRevision {
  /** The `protocolVersion` that was named or has to be assumed. */
  readonly version: string | undefined;
  /** The revision of this version, if known. */
  readonly revision: Revision | undefined;
  /** Undefined if nothing shows it, as in most messages of the legacy era over stdio. */
  readonly era: Revision["era"] | undefined;
  /**
   * What showed it: `_meta` of the params; `initialize`, its params or its result; the header `MCP-Protocol-Version`;
   * the method, if only one era has it; or `absent`, if a request over HTTP without the header is treated as
   * 2025-03-26 (MCP 2025-06-18, Transports).
   */
  readonly source: "meta" | "initialize" | "header" | "method" | "absent" | undefined;
}

/** What the revision of a message is detected from. */
export interface DetectOptions {
  readonly frame: Frame;
  /** The headers of the HTTP request; left out if HTTP is not used. */
  readonly headers?: HeaderLookup | undefined;
  /** The method of the request that a response belongs to. */
  readonly requestMethod?: string | undefined;
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;
/** What a server assumes for a request without the header. */
const WITHOUT_HEADER = "2025-03-26";

/** Versions are dates, so even the era of an unknown one is clear. */
function eraOf(version: string): Revision["era"] | undefined {
  const known = revisionOf(version)?.era;
  if (known !== undefined || !DATE.test(version)) return known;
  return version >= FIRST_MODERN.version ? "modern" : "legacy";
}

function detected(version: string, source: DetectedRevision["source"]): DetectedRevision {
  return { version, revision: revisionOf(version), era: eraOf(version), source };
}

/**
 * Detects the revision of one message. The body takes precedence over the headers, which only repeat it;
 * `headerFault` checks whether they agree. `initialize` belongs to the legacy era, unless its `_meta` names a modern
 * version (MCP 2026-07-28, Versioning).
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
