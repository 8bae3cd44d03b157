import type { GatewayConfig } from "../../config/config.ts";

/** What a configuration says of the HTTP tool API. */
export interface ToolsApiSettings {
  readonly allowExecute: boolean;
  /** Largest request body, in bytes. */
  readonly maxBodyBytes: number;
  /** Largest answer of a server, in bytes. */
  readonly maxAnswerBytes: number;
  /** How many tools of a server's list are kept. */
  readonly maxTools: number;
  /** Keys of one object of the arguments, and of all of them, to which a schema is applied. */
  readonly maxObjectKeys: number;
  readonly maxKeys: number;
}

/** Returns the part of a configuration that the HTTP tool API heeds. */
export function toolsApiSettings({ http, limits }: GatewayConfig): ToolsApiSettings {
  return {
    allowExecute: http.allowExecute,
    maxBodyBytes: limits.requestBytes,
    maxAnswerBytes: limits.upstreamFrameBytes,
    maxTools: limits.tools,
    maxObjectKeys: limits.objectKeys,
    maxKeys: limits.messageKeys,
  };
}
