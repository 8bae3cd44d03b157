import { parseJson } from "@touchstone/core";
import { paramHeadersOf as headersInSchema, type ParamHeaders } from "@touchstone/protocol";
import type { ToolContract } from "../../contracts/contract.ts";

const NONE: ParamHeaders = { valid: true, headers: [] };
/** Most schemas declare no headers, and are not parsed for them. */
const ANNOTATION = Buffer.from('"x-mcp-header"');

const known: WeakMap<ToolContract, ParamHeaders> = new WeakMap();

/** The headers that calls of a tool carry (MCP 2026-07-28, Tools, `x-mcp-header`). */
export function paramHeadersOf(contract: ToolContract): ParamHeaders {
  let headers = known.get(contract);
  if (headers === undefined) {
    headers = contract.inputText === undefined ? NONE : headersInText(contract.inputText);
    known.set(contract, headers);
  }
  return headers;
}

function headersInText(text: Uint8Array): ParamHeaders {
  if (Buffer.from(text.buffer, text.byteOffset, text.length).indexOf(ANNOTATION) < 0) return NONE;
  const parsed = parseJson(text);
  return parsed.ok ? headersInSchema(parsed.value) : NONE;
}
