import { isLoopback, parseListenAddress } from "@touchstone/gateway/config";
import type { Json } from "./note.ts";

/** The listen address of mcpproxy, converted for Touchstone. */
export interface ListenSetting {
  /** Absent if the configuration names no address to listen on. */
  readonly address?: string;
  /** Whether other machines can reach it. */
  readonly isBeyond: boolean;
  /** Why the configured value is not an address. */
  readonly fault?: string;
}

/** Reads `listen` from an mcpproxy configuration, in which a missing host means every address. */
export function readListenSetting(listen: Json | undefined): ListenSetting {
  if (typeof listen !== "string" || listen === "") return { isBeyond: false };
  const address = listen.replace(/^(?=:)/, "0.0.0.0");
  const read = parseListenAddress(address);
  if ("fault" in read) return { isBeyond: false, fault: read.fault };
  return { address, isBeyond: !isLoopback(read.host) };
}
