import type { GatewayConfig } from "../../config/config.ts";

/** The HTTP tool API's part of a configuration. */
export interface ToolsApiSettings {
  readonly allowExecute: boolean;
  /** Largest request body, in bytes. */
  readonly maxBodyBytes: number;
  /** Largest response of a server, in bytes. */
  readonly maxAnswerBytes: number;
  /** How many tools of a server's list to keep. */
  readonly maxTools: number;
  /** Limits on the number of keys in one object of the arguments, and in all of them, when a schema is applied. */
  readonly maxObjectKeys: number;
  readonly maxKeys: number;
}

/** Returns the part of a configuration that the HTTP tool API uses. */
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
