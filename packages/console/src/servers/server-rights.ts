import type { ShownSettings } from "@touchstone/gateway/api";

/** Which changes of servers the gateway's settings allow. */
export interface ServerRights {
  /** Whether the configuration is an editable file. */
  readonly isEditable: boolean;
  /** Why not. */
  readonly reason: string | undefined;
  /** Whether servers can be added and changed over HTTP. */
  readonly mayEditServers: boolean;
  /** Whether clients must send a key. */
  readonly hasKey: boolean;
}

/** Returns what may be changed. */
export function serverRights({ configuration, http, auth }: ShownSettings): ServerRights {
  return {
    isEditable: configuration.editable,
    reason: configuration.reason,
    mayEditServers: http.editServers,
    hasKey: auth.apiKey === "set",
  };
}
