import { callsPerMinute } from "./calls-per-minute/calls-per-minute.ts";
import { resultBytes } from "./result-bytes/result-bytes.ts";

/** Every limit on tool calls that can be set for the gateway, a server, a tool and a caller. */
export const LIMITS = [callsPerMinute, resultBytes] as const;
