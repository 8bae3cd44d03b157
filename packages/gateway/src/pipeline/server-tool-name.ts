import { spliceFrame } from "@touchstone/protocol/advanced";
import { mayBeShortName } from "../contracts/short-names.ts";
import type { ClientExchange } from "./exchange.ts";
import { readFrameForCheck } from "./stages/decode.ts";

/** Returns the tool's own name, if clients see names that the gateway generates. */
export function serverToolName(exchange: ClientExchange): string | undefined {
  if (!mayBeRenamed(exchange)) return undefined;
  const { toolName = "", settings, source } = exchange;
  const { names } = settings.adapt ?? {};
  if (names === undefined) return undefined;
  const own = source.names(names).own(toolName);
  return own === toolName ? undefined : own;
}

/** Returns whether a call may use a name that the gateway generated. */
export function mayBeRenamed({ toolName, settings }: ClientExchange): boolean {
  return settings.adapt?.names !== undefined && toolName !== undefined && mayBeShortName(toolName);
}

/**
 * Puts the tool's own name into a call: the server, checks, policy, limits and records only know that name.
 * @returns whether the call had another name
 */
export function useServerToolName(exchange: ClientExchange): boolean {
  const own = serverToolName(exchange);
  const { frame, state, snapshot } = exchange;
  const range = own === undefined ? undefined : frame.range("/params/name");
  if (own === undefined || range === undefined) return false;
  const bytes = spliceFrame(frame.bytes, [{ range, text: JSON.stringify(own) }]);
  exchange.readAs(
    readFrameForCheck(state.context, snapshot, bytes, () => own),
    own,
  );
  return true;
}
