import { textOf } from "../api/gateway.ts";
import { isObject } from "../json/object.ts";

/** What the gateway's settings say about changing servers. */
export interface ServerRights {
  /** Whether the configuration is an editable file. */
  readonly isEditable: boolean;
  /** Why not. */
  readonly reason: string | null;
  /** Whether servers can be added and changed over HTTP. */
  readonly mayEditServers: boolean;
  /** Whether clients must send a key. */
  readonly hasKey: boolean;
}

/** Reads the response of `GET /api/v1/settings`. Anything it does not report is not allowed. */
export function readRights(settings: unknown): ServerRights {
  const member = (name: string): unknown => (isObject(settings) ? settings[name] : undefined);
  const [configuration, http] = [member("configuration"), member("http")];
  return {
    isEditable: isObject(configuration) && configuration["editable"] === true,
    reason: textOf(configuration, "reason"),
    mayEditServers: isObject(http) && http["editServers"] === true,
    hasKey: textOf(member("auth"), "apiKey") === "set",
  };
}
