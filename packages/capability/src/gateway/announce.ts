import {
  type JsonRange,
  jsonTypeOf,
  locateJson,
  type MemberPlan,
  parseJson,
} from "@touchstone/core/advanced";
import type { Edit } from "@touchstone/protocol/advanced";
import {
  CAPABILITY_VERSION,
  readAnnouncement,
  type ToolValidationCapability,
} from "../announcement.ts";
import { type DeclarationOptions, validateToolDeclaration } from "../declaration.ts";
import { ownMember } from "../object.ts";

/** A gateway's announcement for a server: the schema level, and verdicts that depend on the tools only. */
export function gatewayCapability({
  method = "validate",
  maxBatchSize = 0,
}: DeclarationOptions = {}): ToolValidationCapability {
  return {
    supported: true,
    version: CAPABILITY_VERSION,
    method,
    async: false,
    streaming: false,
    contextAware: false,
    cacheable: true,
    levels: { syntax: true, semantic: false, runtime: false, security: false },
    batchValidation: maxBatchSize > 0,
    ...(maxBatchSize > 0 ? { maxBatchSize } : {}),
    caching: { enabled: true, ttl: 300, invalidateOn: ["tool_update"] },
  };
}

const PLAN: MemberPlan = { tools: true, experimental: { toolValidation: true } };
/** Deeper capabilities are left as they are. */
const MAX_DEPTH = 64;
const BRACE = 0x7b;
const BRACKET = 0x5b;

function isBlank(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i += 1) if ((bytes[i] ?? 0) > 0x20) return false;
  return true;
}

/** Inserts text into a container: an object's first member, or an array's last item. */
function insertion(bytes: Uint8Array, { start, end }: JsonRange, text: string): Edit {
  const isEmpty = isBlank(bytes, start + 1, end - 1);
  if (bytes[start] === BRACKET) {
    return { range: { start: end - 1, end: end - 1 }, text: isEmpty ? text : `,${text}` };
  }
  return { range: { start: start + 1, end: start + 1 }, text: isEmpty ? text : `${text},` };
}

/** Returns the capability for a server: changed tools invalidate verdicts only if the server reports them. */
function fitted(capability: ToolValidationCapability, capabilities: unknown): string {
  const { caching } = capability;
  const tellsOfTools = ownMember(ownMember(capabilities, "tools"), "listChanged") === true;
  if (caching?.invalidateOn === undefined || tellsOfTools) return JSON.stringify(capability);
  const invalidateOn = caching.invalidateOn.filter((cause) => cause !== "tool_update");
  return JSON.stringify({ ...capability, caching: { ...caching, invalidateOn } });
}

/** Larger capabilities are left as they are. */
const MAX_CAPABILITIES = 262_144;

/**
 * Returns the edit that announces validation in an `initialize` or `server/discover` result whose server has tools and
 * does not announce it.
 * @param message bytes with the result, known to be JSON
 * @param capabilities the range of the result's `capabilities`
 * @returns undefined if the result passes unchanged
 */
export function capabilityEdit(
  message: Uint8Array,
  capabilities: JsonRange,
  capability: ToolValidationCapability,
): Edit | undefined {
  if (capabilities.end - capabilities.start > MAX_CAPABILITIES) return undefined;
  const slice = message.subarray(capabilities.start, capabilities.end);
  const { error, members } = locateJson(slice, { members: PLAN });
  const [tools, experimental, before] = [
    "/tools",
    "/experimental",
    "/experimental/toolValidation",
  ].map((pointer) => moved(members.get(pointer), capabilities.start));
  if (error !== undefined || tools === undefined) return undefined;
  if (message[tools.start] !== BRACE) return undefined;
  const parsed = parseJson(slice, { maxDepth: MAX_DEPTH });
  // The server announces validation itself, in `experimental` or as an extension.
  if (!parsed.ok || readAnnouncement(parsed.value) !== undefined) return undefined;
  const value = fitted(capability, parsed.value);
  if (before !== undefined) return { range: before, text: value };
  const member = `"toolValidation":${value}`;
  if (experimental === undefined) {
    const text = `"experimental":{${member}}`;
    return insertion(message, capabilities, text);
  }
  if (jsonTypeOf(message[experimental.start]) !== "object") return undefined;
  return insertion(message, experimental, member);
}

function moved(range: JsonRange | undefined, by: number): JsonRange | undefined {
  return range && { start: range.start + by, end: range.end + by };
}

/**
 * Returns the edit that adds the validation tool at the end of a `tools/list` result: of its last page, if there are
 * several.
 * @param result the bytes of the `result` value, known to be JSON
 * @param tools the range of its list of tools
 * @returns undefined if that is not a list
 */
export function validateToolEdit(
  result: Uint8Array,
  tools: JsonRange,
  options: DeclarationOptions,
): Edit | undefined {
  if (result[tools.start] !== BRACKET) return undefined;
  return insertion(result, tools, JSON.stringify(validateToolDeclaration(options)));
}
