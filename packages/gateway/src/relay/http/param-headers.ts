import {
  changedParamHeaders,
  decodeHeaderValue,
  encodeHeaderValue,
  errorFrame,
  type Frame,
  type HeaderFault,
  paramHeadersOf as headersInSchema,
  type ParamHeaders,
  readFrame,
} from "@touchstone/protocol/advanced";
import type { ToolContract } from "../../contracts/contract.ts";
import type { Era } from "../../eras/era.ts";
import { httpStatusOfCode } from "../../eras/modern.ts";
import type { MessageOutput, Pipeline } from "../../pipeline/pipeline.ts";
import type { HttpResponse } from "../../transport/http/http-message.ts";
import { sendJson } from "../../transport/http/responses.ts";

const NONE: ParamHeaders = { valid: true, headers: [] };

const known: WeakMap<ToolContract, ParamHeaders> = new WeakMap();

/** Returns the headers that calls of a tool carry (MCP 2026-07-28, Tools, `x-mcp-header`). */
export function paramHeadersOf(contract: ToolContract): ParamHeaders {
  let headers = known.get(contract);
  if (headers === undefined) {
    headers = contract.mayMirror ? headersInSchema(contract.declared) : NONE;
    known.set(contract, headers);
  }
  return headers;
}

/**
 * Returns the headers that must change because the arguments of a call were repaired (MCP 2026-07-28, Transports,
 * Custom Headers from Tool Parameters), by lower-case name; undefined for one to remove.
 * @param onward the call as it is sent
 */
function repairedHeaders(
  era: Era,
  contract: ToolContract,
  frame: Frame,
  onward: Uint8Array,
): Readonly<Record<string, string | undefined>> {
  const declared = era.repeatsArguments ? paramHeadersOf(contract) : NONE;
  if (!declared.valid || declared.headers.length === 0) return {};
  return changedParamHeaders(declared.headers, argumentsOf(frame), argumentsOf(readFrame(onward)));
}

/**
 * Returns the headers that must differ from the client's, by lower-case name: those of repaired arguments, and the
 * name of a tool that the client called by another. Undefined if there are none. A name that does not match its message
 * is refused before (`stages/protocol.ts`).
 * @param given returns the client's header of a name
 */
export function changedHeaders(
  era: Era,
  frame: Frame,
  { onward, repaired, renamed }: Pick<MessageOutput, "onward" | "repaired" | "renamed">,
  given: (name: string) => string | undefined,
): Readonly<Record<string, string | undefined>> | undefined {
  const ofArguments =
    repaired === undefined || onward === undefined
      ? undefined
      : repairedHeaders(era, repaired, frame, onward);
  const named = given("mcp-name");
  if (renamed === undefined || named === undefined || !era.repeatsArguments) return ofArguments;
  if (decodeHeaderValue(named.trim()) !== frame.toolName) return ofArguments;
  return { ...ofArguments, "mcp-name": encodeHeaderValue(renamed) };
}

/**
 * Returns the headers of a call whose client knows none of them, because a bridge has written its envelope. Waits for
 * the list of tools, which names those that repeat arguments.
 * @param onward the call as it is sent
 */
export async function bridgedHeaders(
  era: Era,
  pipeline: Pick<Pipeline, "contractOf">,
  onward: Uint8Array,
): Promise<Readonly<Record<string, string>>> {
  const frame = readFrame(onward, { outline: true });
  const contract = frame.toolName === undefined ? undefined : await pipeline.contractOf(frame);
  const declared = contract === undefined ? NONE : paramHeadersOf(contract);
  return era.messageHeaders(frame, declared.valid ? declared.headers : []);
}

/** Returns the source text of the arguments of a call; undefined if it has none. */
export function argumentsOf({ bytes, ranges }: Frame): Uint8Array | undefined {
  const range = ranges.arguments;
  return range && bytes.subarray(range.start, range.end);
}

/** Responds to a request whose headers are wrong. */
export function sendHeaderFault(response: HttpResponse, frame: Frame, fault: HeaderFault): void {
  const { code, message, data } = fault;
  sendJson(
    response,
    httpStatusOfCode(code) ?? 400,
    errorFrame(frame.id ?? null, code, message, data),
  );
}
