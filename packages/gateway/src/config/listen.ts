import { isLoopback, isLoopbackHost } from "@touchstone/util";
import {
  type ConfigFile,
  DEFAULT_ADDRESS,
  DEFAULT_IDLE,
  DEFAULT_LIFETIME,
} from "../settings/schema.ts";
import { headerFault, hostFault, originFault, parseListenAddress } from "./address.ts";
import {
  keyFault,
  MIN_KEY_LENGTH,
  readJwt,
  readKeys,
  rememberKeySecrets,
  tooShortKeys,
} from "./callers.ts";
import type { GatewayConfig } from "./config.ts";
import { isJsonObject, type JsonObject, type Path, pathKey } from "./document.ts";
import type { FaultList } from "./fault-list.ts";
import { readOidc } from "./oidc.ts";
import type { Overrides } from "./overrides.ts";

/** Checks `listen` and `auth` together: the address decides whether clients must identify themselves. */
export function readListen(
  value: JsonObject,
  faults: FaultList,
  { overrides, misshapen, written }: ListenOptions,
): Pick<GatewayConfig, "listen" | "auth" | "shortKeys"> {
  const sound = (path: Path) => !misshapen.has(pathKey(path));
  const { listen = {}, auth = {} }: Pick<ConfigFile, "listen" | "auth"> = {
    ...(isJsonObject(value["listen"]) ? { listen: value["listen"] } : {}),
    ...(isJsonObject(value["auth"]) ? { auth: value["auth"] } : {}),
  };
  const add: Add = (code, message) =>
    overrides.listen === undefined
      ? faults.add(code, ["listen", "address"], message)
      : faults.addOption(code, "--listen", message);

  const isSound = sound(["auth"]);
  if (isSound) rememberKeySecrets(auth);
  const key = isSound ? auth.api_key : "-";
  const adminKey = isSound ? auth.admin_key : undefined;
  const keys = isSound ? readKeys(auth, faults) : [];
  const jwt = isSound ? readJwt(auth.jwt, faults) : undefined;
  const lifetime = isSound ? auth.session_lifetime : undefined;
  for (const [name, value] of [
    ["api_key", key],
    ["admin_key", adminKey],
  ] as const) {
    const fault = value === undefined || !isSound ? undefined : keyFault(value);
    if (fault !== undefined) faults.add("INVALID_VALUE", ["auth", name], fault);
  }
  if (adminKey !== undefined && adminKey === key) {
    const message = "must be another key than auth.api_key, which every client has";
    faults.add("INVALID_VALUE", ["auth", "admin_key"], message);
  }
  const hosts = sound(["listen", "allowed_hosts"]) ? (listen.allowed_hosts ?? []) : [];
  const origins = sound(["listen", "allowed_origins"]) ? (listen.allowed_origins ?? []) : [];
  const headers = sound(["listen", "allowed_headers"]) ? (listen.allowed_headers ?? []) : [];
  const idle = sound(["listen", "idle_timeout"]) ? listen.idle_timeout : undefined;
  judgeEach(hosts, ["listen", "allowed_hosts"], hostFault, faults);
  judgeEach(origins, ["listen", "allowed_origins"], originFault, faults);
  judgeEach(headers, ["listen", "allowed_headers"], headerFault, faults);

  const fromFile = sound(["listen", "address"]) ? listen.address : undefined;
  const address = parseListenAddress(overrides.listen ?? fromFile ?? DEFAULT_ADDRESS);
  if ("fault" in address) add("INVALID_VALUE", address.fault);
  else if (
    !isLoopback(address.host) &&
    key === undefined &&
    (auth.keys ?? []).length === 0 &&
    auth.jwt === undefined
  ) {
    const message =
      "listening beyond loopback needs an API key; set auth.api_key, auth.keys or auth.jwt, or listen on 127.0.0.1";
    add("API_KEY_REQUIRED", message);
  }
  const isBeyond = !("fault" in address) && !isLoopback(address.host);
  const oidc = isSound
    ? readOidc(auth.oidc, {
        faults,
        written,
        isReachedByName: isBeyond || hosts.some(isOtherHost),
        isBeyond,
      })
    : [];
  const short = isSound ? tooShortKeys(auth) : [];
  if (isBeyond) {
    for (const path of short) faults.add("KEY_TOO_SHORT", path, TOO_SHORT);
  }
  return {
    ...(short.length > 0 && { shortKeys: short.map(shownPath) }),
    listen: {
      host: "fault" in address ? "" : address.host,
      port: "fault" in address ? 0 : address.port,
      allowedHosts: hosts,
      allowedOrigins: origins,
      allowedHeaders: headers,
      idleTimeout: (idle ?? DEFAULT_IDLE) * 1000,
    },
    auth: {
      ...(key === undefined ? {} : { apiKey: key }),
      ...(adminKey === undefined ? {} : { adminKey }),
      ...(keys.length === 0 ? {} : { keys }),
      ...(jwt === undefined ? {} : { jwt }),
      ...(lifetime === undefined || lifetime === DEFAULT_LIFETIME
        ? {}
        : { sessionLifetime: lifetime * 1000 }),
      ...(oidc.length === 0 ? {} : { oidc }),
    },
  };
}

/** Returns whether an entry of `listen.allowed_hosts` is not a name of this machine alone. */
function isOtherHost(entry: string): boolean {
  return !isLoopbackHost(entry.replace(/:\d+$/, ""));
}

const TOO_SHORT = `must have ${MIN_KEY_LENGTH} characters or more if serve listens beyond loopback: a shorter key can be guessed; touchstone key create makes one`;

/** Returns a path as people write it: `auth.keys[0].key`. */
function shownPath(path: Path): string {
  return path
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`))
    .join("")
    .slice(1);
}

export interface ListenOptions {
  readonly overrides: Overrides;
  /** {@link pathKey}s of values with the wrong shape, and of their ancestors. */
  readonly misshapen: ReadonlySet<string>;
  /** The file as it is written. */
  readonly written: JsonObject;
}

type Add = (code: "INVALID_VALUE" | "API_KEY_REQUIRED", message: string) => void;

function judgeEach(
  values: readonly string[],
  path: Path,
  judge: (value: string) => string | undefined,
  faults: FaultList,
): void {
  for (const [index, value] of values.entries()) {
    const fault = judge(value);
    if (fault !== undefined) faults.add("INVALID_VALUE", [...path, index], fault);
  }
}
