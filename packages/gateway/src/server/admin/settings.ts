import { isLoopback, redactText, VERSION } from "@touchstone/util";
import type { GatewayConfig, JwtSettings, OidcSettings } from "../../config/config.ts";
import type { PartialModes } from "../../config/edit/modes.ts";
import { capabilityOf } from "../../features/capability/capability.ts";
import { withShownLevels } from "../../features/level-settings.ts";
import { configurationHash } from "../../fleet/configuration-hash.ts";
import type { ValidationSettings } from "../../settings/validation.ts";
import type { ShownCaller, ShownJwt, ShownOidc, ShownSettings } from "../api/schemas.ts";
import { faultsText } from "./servers.ts";

type Plain = string | number | boolean;

/** An entry of a client's file that is not served. */
export interface ShownSkippedServer {
  readonly server: string;
  /** As {@link faultsText} returns it. */
  readonly reason: string;
}

/** Facts outside the configuration. */
export interface SettingsContext {
  /** Where the gateway listens. */
  readonly address: { readonly host: string; readonly port: number };
  readonly startedAt: Date;
  readonly now: Date;
  /** The name of the file that can be edited; undefined if there is none. */
  readonly file: string | undefined;
  /** Why no file can be edited. */
  readonly notEditable: string;
  readonly own: PartialModes;
}

/** Returns the settings in force, without values that may be secret. */
export function shownSettings(config: GatewayConfig, context: SettingsContext): ShownSettings {
  const { listen, auth, http, limits, activity, settings, ignoredKeys } = config;
  const { leftOut = [] } = config;
  const { address, startedAt, now, file, notEditable, own } = context;
  const { store, ...records } = activity;
  const apiKey = auth.apiKey === undefined ? "unset" : "set";
  const shown = {
    listen: { ...listen, ...address },
    auth: {
      apiKey,
      adminKey: auth.adminKey === undefined ? "unset" : "set",
      callers: shownCallers(auth),
      ...(auth.jwt === undefined ? {} : { jwt: shownJwt(auth.jwt) }),
      ...(auth.oidc === undefined ? {} : { oidc: auth.oidc.map(shownOidc) }),
    },
    ...(config.preset === undefined ? {} : { preset: config.preset }),
    http: { allowExecute: http.allowExecute, editServers: mayEditServers(config) },
    capability: capabilityOf(settings),
    limits: { ...limits },
    activity: { store: store === undefined ? "sqlite" : "postgresql", ...plain(records) },
    validation: shownValidation(settings),
  } as const;
  return {
    version: VERSION,
    node: process.versions.node,
    startedAt: startedAt.toISOString(),
    uptimeSeconds: Math.floor((now.getTime() - startedAt.getTime()) / 1000),
    configuration: {
      file: file ?? null,
      editable: file !== undefined,
      ...(file === undefined ? { reason: notEditable } : {}),
      hash: configurationHash(config),
      ignoredKeys,
      leftOut: leftOut.map(({ name, faults }) => ({ server: name, reason: faultsText(faults) })),
    },
    writes: file === undefined ? "off" : asksForKey(auth) ? "admin" : "token",
    ...shown,
    own,
  };
}

function shownValidation(settings: ValidationSettings): ValidationSettings {
  const { pin, limits, ...others } = withShownLevels(settings);
  return { ...(pin && { pin }), ...(limits && { limits }), ...others };
}

function shownJwt(jwt: JwtSettings): ShownJwt {
  const { issuer, audience, nameClaim, role, servers, tools, readOnly } = jwt;
  return {
    ...{ issuer, audience, nameClaim, role },
    ...(servers === undefined ? {} : { servers }),
    ...(tools === undefined ? {} : { tools }),
    ...(readOnly === undefined ? {} : { readOnly }),
  };
}

function shownOidc({ name, label, issuer, clientId, roleClaim, roles }: OidcSettings): ShownOidc {
  const groups = Object.entries(roles).map(([group, role]) => ({ group, role }));
  return { name, label, issuer, clientId, roleClaim, roles: groups };
}

/** Returns whether keys are configured. */
function asksForKey({ apiKey, adminKey, keys, jwt }: GatewayConfig["auth"]): boolean {
  return [apiKey, adminKey, keys, jwt].some((one) => one !== undefined);
}

function shownCallers({ keys = [] }: GatewayConfig["auth"]): readonly ShownCaller[] {
  const callers = new Map<string, ShownCaller>();
  for (const { hash: _, limits, ...caller } of keys) {
    const known = callers.get(caller.name)?.keys ?? 0;
    callers.set(caller.name, { ...caller, ...limits, keys: known + 1 });
  }
  return [...callers.values()];
}

/** Whether servers may be added and changed over HTTP. */
export function mayEditServers({ http, listen }: Pick<GatewayConfig, "http" | "listen">): boolean {
  return http.editServers ?? isLoopback(listen.host);
}

/** Keeps plain values only: a new setting may contain a secret. */
function plain(values: object): Record<string, Plain> {
  const kept: Record<string, Plain> = {};
  for (const [key, value] of Object.entries(values) as [string, unknown][]) {
    if (typeof value === "string") kept[key] = redactText(value).text;
    else if (typeof value === "number" || typeof value === "boolean") kept[key] = value;
  }
  return kept;
}
