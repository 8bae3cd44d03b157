import type { StorePlace } from "@touchstone/records/plain";
import { type Logger, VERSION } from "@touchstone/util";
import type { TelemetrySettings } from "../../config/config.ts";
import type { Environment } from "../../config/variables.ts";
import { type OtlpSignals, otlpSignals } from "./environment.ts";
import {
  installCommand,
  missingTelemetryPackages,
  otlpSettingName,
  type ResolvePackage,
  TelemetryError,
} from "./packages.ts";
import { Recorder } from "./recorder.ts";
import type { Telemetry } from "./telemetry.ts";
import type { RecordSettings } from "./worker/messages.ts";
import { startThread, type TelemetryThread } from "./worker/thread.ts";

export interface TelemetryOptions {
  readonly settings: TelemetrySettings;
  /** OpenTelemetry's standard variables. */
  readonly env: Environment;
  readonly log: Logger;
  /** The activity records that `telemetry.records` sends. */
  readonly place?: StorePlace | undefined;
  /** Resolves a package. Defaults to this module's import resolution. */
  readonly resolve?: ResolvePackage;
}

const NOTHING: OtlpSignals = { traces: false, metrics: false, logs: false };

/**
 * Starts what the settings and the environment ask for. Returns undefined if nothing is turned on. If only the
 * environment asks for OTLP and the SDK is not installed, logs one warning: such variables are often set for every
 * program of a machine.
 * @throws TelemetryError if the settings require a package that is not installed
 */
export function startTelemetry(options: TelemetryOptions): Telemetry | undefined {
  const { settings, env, log } = options;
  const { metrics } = settings;
  const otlp = available(options);
  if (!metrics && !otlp.traces && !otlp.metrics && !otlp.logs) return undefined;
  const recorder: Recorder = new Recorder({
    send: (batch) => thread.post({ kind: "batch", batch }),
  });
  const taken = (): void => recorder.taken();
  const records = recordsOf(options);
  const thread = startThread({ metrics, otlp, records, version: VERSION }, env, { log, taken });
  return {
    server(place) {
      thread.post({ kind: "server", place });
      return recorder.server(place.name);
    },
    compiled: (milliseconds) => recorder.compiled(milliseconds),
    alerted: (when, outcome) => recorder.alerted(when, outcome),
    watchCache: (cache) => recorder.watchCache(cache),
    ...(metrics ? { metrics: (request: Request) => page(request, recorder, thread) } : {}),
    async close() {
      recorder.flush();
      await thread.close();
    },
  };
}

function recordsOf({ settings, place }: TelemetryOptions): RecordSettings | undefined {
  const { records = false } = settings;
  if (records === false || place === undefined) return undefined;
  return { place, bodies: records === "bodies", since: Date.now() };
}

/** Returns the signals whose packages are installed, or throws if the configuration asked for them. */
function available({ settings, env, log, resolve }: TelemetryOptions): OtlpSignals {
  const missing = missingTelemetryPackages(settings, env, resolve);
  if (missing.metrics.length > 0) {
    throw new TelemetryError(`telemetry.metrics is true. ${howTo("/metrics", missing.metrics)}`);
  }
  if (missing.otlp.length === 0) return otlpSignals(env, settings);
  const how = howTo("OTLP", missing.otlp);
  const asked = otlpSettingName(settings);
  if (asked !== undefined) throw new TelemetryError(`${asked}. ${how}`);
  log.warn(`nothing is sent to the collector that OTEL_* variables name. ${how}`);
  return NOTHING;
}

function howTo(what: string, packages: readonly string[]): string {
  const names = packages.map((name) => name.slice(0, name.lastIndexOf("@"))).join(", ");
  const [are, subject] = packages.length === 1 ? ["is", "package"] : ["are", "packages"];
  return `${what} needs the ${subject} ${names}, which ${are} not installed: ${installCommand(packages)}, beside touchstone.`;
}

async function page(
  { method }: Request,
  recorder: Recorder,
  thread: TelemetryThread,
): Promise<Response> {
  if (method !== "GET" && method !== "HEAD") {
    const error = `${method} is not allowed here; use GET, HEAD.`;
    const headers = { allow: "GET, HEAD", "cache-control": "no-store" };
    return Response.json({ error, code: "METHOD_NOT_ALLOWED" }, { status: 405, headers });
  }
  // Sends the facts so far, so that the page includes everything before the request.
  recorder.flush();
  const answer = await thread.scrape();
  if (answer === undefined) {
    const error = "Metrics are not available now; see the gateway's log.";
    return Response.json({ error }, { status: 503 });
  }
  return new Response(answer.text, {
    headers: {
      "content-type": answer.contentType,
      "cache-control": "no-store",
      // The page contains names of tools, which come from servers.
      "x-content-type-options": "nosniff",
    },
  });
}
