import { isLoopback, parseListenAddress } from "@touchstone/gateway/config";
import type { Json } from "./note.ts";

/** Where mcpproxy listens, as Touchstone reads it. */
export interface Listening {
  /** Absent if the configuration names none that can be listened at. */
  readonly address?: string;
  /** Whether other machines can reach it. */
  readonly isBeyond: boolean;
  /** Why what is named is not an address. */
  readonly fault?: string;
}

/** Reads `listen` of a configuration of mcpproxy's, in which no host means every address. */
export function listeningOf(listen: Json | undefined): Listening {
  if (typeof listen !== "string" || listen === "") return { isBeyond: false };
  const address = listen.replace(/^(?=:)/, "0.0.0.0");
  const read = parseListenAddress(address);
  if ("fault" in read) return { isBeyond: false, fault: read.fault };
  return { address, isBeyond: !isLoopback(read.host) };
}
