import { parseJson } from "@touchstone/core";
import {
  ERROR_CODES,
  type Frame,
  type HeaderFault,
  LATEST,
  META_CLIENT_CAPABILITIES,
  META_PROTOCOL_VERSION,
  readFrame,
} from "@touchstone/protocol";
import type { Ask } from "../../contracts/ask.ts";
import { isModern } from "../../pipeline/era.ts";

const DISCOVER = JSON.stringify({
  _meta: { [META_PROTOCOL_VERSION]: LATEST.version, [META_CLIENT_CAPABILITIES]: {} },
});

/** The revisions that one server speaks, asked for when a client names one that is not known here. */
export class UpstreamVersions {
  readonly #ask: Ask;
  #asked: Promise<readonly string[]> | undefined;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /**
   * What is wrong with the revision that a request is made under: over HTTP a server owes an
   * UnsupportedProtocolVersion error with the ones that it has (MCP 2026-07-28, Versioning).
   * Undefined where the revision is known, or is one that the server says it speaks.
   */
  async fault(frame: Frame): Promise<HeaderFault | undefined> {
    const requested = frame.protocolVersion;
    if (requested === undefined || isModern(requested)) return undefined;
    const supported = await this.#supported();
    if (supported.includes(requested)) return undefined;
    return {
      code: ERROR_CODES.unsupportedProtocolVersion,
      message: "Unsupported protocol version",
      data: { supported, requested },
    };
  }

  /** What the server says; the latest revision where it does not say. A failure is not kept. */
  async #supported(): Promise<readonly string[]> {
    this.#asked ??= this.#ask("server/discover", DISCOVER).then(readVersions);
    try {
      return await this.#asked;
    } catch {
      this.#asked = undefined;
      return [LATEST.version];
    }
  }
}

function readVersions(answer: Uint8Array): readonly string[] {
  const { bytes, ranges } = readFrame(answer);
  const parsed = ranges.result && parseJson(bytes.subarray(ranges.result.start, ranges.result.end));
  const result = parsed?.ok ? parsed.value : undefined;
  const versions = (result as { readonly supportedVersions?: unknown } | null | undefined)
    ?.supportedVersions;
  const texts = Array.isArray(versions)
    ? versions.filter((version): version is string => typeof version === "string")
    : [];
  return texts.length > 0 ? texts : [LATEST.version];
}
