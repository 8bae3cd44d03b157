import { startCapture } from "./insight/capture/to-file.ts";
import { openTelemetry } from "./insight/telemetry/open.ts";
import type { Telemetry } from "./insight/telemetry/telemetry.ts";
import { Alerts } from "./server/alerts/alerts.ts";
import type { Gateway, GatewayOptions } from "./server/gateway-options.ts";
import { LiveRecords } from "./server/live-records.ts";
import { type RecordTap, storePlace } from "./server/records.ts";
import { RunningGateway } from "./server/running-gateway.ts";

export { installationChanged } from "@touchstone/util";
export type { CloseOptions } from "./server/draining-endpoint.ts";
export { type Gateway, type GatewayOptions, ReloadError } from "./server/gateway-options.ts";
export { consoleLink, type FoundGateway, findGateway } from "./server/presence-file.ts";
export type { ReachResult } from "./server/reachability.ts";

/**
 * Serves every enabled server of a configuration over Streamable HTTP, each at `/mcp/{server}`.
 * @throws ActivityError if the records cannot be written
 * @throws CaptureError if the capture cannot be written
 * @throws ListenError if the gateway cannot listen at the address
 * @throws TelemetryError if telemetry needs a package that is not installed
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { config, dataDir, env, log } = options;
  let telemetry: Telemetry | undefined;
  const alerts = new Alerts({
    env,
    log,
    count: (when, outcome) => telemetry?.alerted(when, outcome),
  });
  // Comes before anything starts: a server that fails to start causes an alert.
  alerts.update(config.alerts);
  const tap: RecordTap = (records) => alerts.take(records);
  const activity = await LiveRecords.open(config.activity, dataDir, log, tap);
  const orClose = async (error: unknown): Promise<never> => {
    await activity.close();
    throw error;
  };
  const place = storePlace(config.activity, dataDir);
  telemetry = await openTelemetry({ settings: config.telemetry, env, log, place }).catch(orClose);
  const capture = await startCapture(options.capture, log).catch(async (error: unknown) => {
    await telemetry?.close();
    return orClose(error);
  });
  const gateway = new RunningGateway(options, activity, { alerts, capture, telemetry });
  try {
    await gateway.reload(config);
    await gateway.begin();
    return gateway;
  } catch (error) {
    await gateway.end();
    throw error;
  }
}
