import { VERSION } from "@touchstone/util";
import type { GatewayConfig } from "../config/config.ts";
import { CallGates } from "../features/limits.ts";
import { configurationHash } from "../fleet/configuration-hash.ts";
import { Membership } from "../fleet/membership.ts";
import { gatewayCache } from "../insight/telemetry/open.ts";
import type { Telemetry } from "../insight/telemetry/telemetry.ts";
import { telemetryTaps } from "../insight/telemetry/telemetry-tap.ts";
import type { Capture } from "../pipeline/tap.ts";
import type { Pause } from "../relay/pause.ts";
import { type RefusedArgumentsOutcome, ServerRuntime } from "../relay/server-runtime.ts";
import type { UnfinishedBodies } from "../transport/http/unfinished-bodies.ts";
import type { ChildSlots } from "../transport/stdio/child-limits.ts";
import { callersDiffer, hostAndPort } from "./access/rules.ts";
import { AdminApi } from "./admin/admin-api.ts";
import type { ApplyConfig } from "./admin/config-editor.ts";
import type { Alerts } from "./alerts/alerts.ts";
import type { GatewayOptions } from "./gateway-options.ts";
import type { LiveRecords } from "./live-records.ts";
import { endpointMaker } from "./make-endpoint.ts";
import { ServedServers } from "./served-servers.ts";
import { ServerLogs } from "./server-logs.ts";
import type { SignInCodes } from "./sign-in/codes.ts";
import { EndpointPoster } from "./tools-api/endpoint-poster.ts";
import { decideForToolsApi } from "./tools-api/judge.ts";
import { toolsApiSettings } from "./tools-api/settings.ts";
import { ToolsApi } from "./tools-api/tools-api.ts";
import { validationFor } from "./validation.ts";

/** Observers. */
export interface Observers {
  readonly alerts: Alerts;
  readonly capture: Capture | undefined;
  readonly telemetry: Telemetry | undefined;
}

/** What the parts of a gateway need from it while it runs. */
export interface GatewayHandle {
  readonly children: ChildSlots;
  readonly bodies: UnfinishedBodies;
  /** The configuration in force. */
  readonly config: () => GatewayConfig;
  /** Where it listens; empty before it does. */
  readonly address: () => { readonly host: string; readonly port: number };
  /** Returns a server's current pause. */
  readonly pause: (server: string) => Pause | undefined;
  readonly codes: SignInCodes;
  /** Applies another configuration, for the admin API. */
  readonly change: ApplyConfig;
}

/** The parts of a gateway. */
export interface AssembledGateway {
  readonly servers: ServedServers;
  /** Posts messages of the gateway's own clients. */
  readonly posts: EndpointPoster;
  readonly toolsApi: ToolsApi;
  readonly membership: Membership;
  readonly admin: AdminApi;
  readonly logs: ServerLogs;
}

/** Assembles the parts of a gateway without starting them. */
export function assemble(
  options: GatewayOptions,
  activity: LiveRecords,
  { capture, telemetry }: Observers,
  self: GatewayHandle,
): AssembledGateway {
  const { config, log } = options;
  const { address } = self;
  const parts = {
    activity,
    bodies: () => activity.bodies,
    drift: () => activity.drift,
    contracts: activity.contracts,
    pins: activity.pins,
    tasks: () => activity.tasks,
    requests: () => activity.requests,
    cache: gatewayCache(telemetry),
    gates: new CallGates(),
    pause: self.pause,
    callersDiffer: () => callersDiffer(self.config()),
    telemetry: telemetry && telemetryTaps(telemetry, "tcp"),
    log,
    ...(capture === undefined ? {} : { capture }),
  };
  const logs = new ServerLogs();
  const servers = new ServedServers({
    runtime: (settings) => new ServerRuntime(settings, parts),
    endpoint: endpointMaker(options, self.children, (server) => logs.of(server)),
    validation: (server) => validationFor(server, log),
    log,
  });
  const settle = async (refusal: RefusedArgumentsOutcome | undefined) => {
    if (refusal !== undefined) await activity.append(refusal.entries);
    return refusal;
  };
  const posts = new EndpointPoster({
    endpoints: servers.endpoints,
    maxRequestBytes: () => self.config().limits.requestBytes,
    log,
  });
  const toolsApi: ToolsApi = new ToolsApi({
    endpoints: servers.endpoints,
    posts,
    settings: toolsApiSettings(config),
    bodies: self.bodies,
    keptTools: (server) => activity.contracts.toolNames(server),
    allows: (server, tool, caller) => servers.get(server)?.runtime.allows(tool, caller) === true,
    judge: async (server, call, caller) => {
      const runtime = servers.get(server)?.runtime;
      if (runtime === undefined) throw new Error("the server was removed");
      return decideForToolsApi({ runtime, learn: () => toolsApi.learn(server), log }, call, caller);
    },
    whyHeld: (server, tool, caller) => servers.get(server)?.runtime.whyHeld(tool, caller),
    admit: (server, call) => settle(servers.get(server)?.runtime.admit(call)),
    refused: async (server, call) =>
      (await settle(servers.get(server)?.runtime.refused(call)))?.text,
    log,
  });
  const membership = new Membership({
    store: config.activity.store,
    self: () => ({
      version: VERSION,
      configuration: configurationHash(self.config()),
      listen: hostAndPort(address()),
    }),
    listChanged: (scope) => servers.listChanged(scope),
    log,
  });
  const admin = new AdminApi({
    approvals: activity,
    erase: (request) => activity.erase(request),
    fleet: () => membership.fleet(),
    config: self.config,
    served: (name) => servers.get(name),
    logOf: (server) => logs.of(server),
    address,
    source: options.source,
    notEditable: options.notEditable,
    apply: self.change,
    codes: self.codes,
    log,
  });
  return { servers, posts, toolsApi, membership, admin, logs };
}
