import { createRequire } from "node:module";
import type { TelemetrySettings } from "../../config/config.ts";
import type { Logger } from "../../util/log.ts";
import { VERSION } from "../../util/own-package.ts";
import { TelemetryError } from "./errors.ts";
import { type OtlpSignals, otlpSignals } from "./otlp-signals.ts";
import { Recorder } from "./recorder.ts";
import type { Telemetry } from "./telemetry.ts";
import { startThread, type TelemetryThread } from "./worker/thread.ts";

export interface TelemetryOptions {
  readonly settings: TelemetrySettings;
  /** Where OpenTelemetry's standard variables are read from. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  /** Finds a package, or throws. Default: as this module would import it. */
  readonly resolve?: (name: string) => unknown;
}

/** Packages that are not installed with Touchstone, as they are installed beside it. */
const PROMETHEUS = "prom-client@15.1.3";
const SDK = "@opentelemetry/sdk-node@0.223.0";
const NOTHING: OtlpSignals = { traces: false, metrics: false };

/**
 * Starts what the settings and the environment ask for; undefined, and nothing is loaded, where that
 * is nothing. Where only the environment asks for OTLP and the SDK is not installed, a warning tells
 * so: such variables are often set for every program of a machine.
 * @throws TelemetryError where the settings ask for what needs a package that is not installed
 */
export function startTelemetry(options: TelemetryOptions): Telemetry | undefined {
  const { settings, env, log } = options;
  const { metrics } = settings;
  if (metrics && !isInstalled(PROMETHEUS, options)) {
    throw new TelemetryError(`telemetry.metrics is true. ${howTo("/metrics", PROMETHEUS)}`);
  }
  const otlp = available(otlpSignals(env, settings.otlp), options);
  if (!metrics && !otlp.traces && !otlp.metrics) return undefined;
  const recorder: Recorder = new Recorder({
    send: (batch) => thread.post({ kind: "batch", batch }),
  });
  const taken = (): void => recorder.taken();
  const thread = startThread({ metrics, otlp, version: VERSION }, env, { log, taken });
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

function available(signals: OtlpSignals, options: TelemetryOptions): OtlpSignals {
  if ((!signals.traces && !signals.metrics) || isInstalled(SDK, options)) return signals;
  const how = howTo("OTLP", SDK);
  if (options.settings.otlp === true) throw new TelemetryError(`telemetry.otlp is true. ${how}`);
  options.log.warn(`nothing is sent to the collector that OTEL_* variables name. ${how}`);
  return NOTHING;
}

function howTo(what: string, installed: string): string {
  const name = withoutVersion(installed);
  return `${what} needs the package ${name}, which is not installed: npm install ${installed}, beside touchstone.`;
}

function withoutVersion(installed: string): string {
  return installed.slice(0, installed.lastIndexOf("@"));
}

function isInstalled(
  installed: string,
  { resolve = createRequire(import.meta.url).resolve }: TelemetryOptions,
): boolean {
  try {
    resolve(withoutVersion(installed));
    return true;
  } catch {
    return false;
  }
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
  // So that it tells of everything that came before it.
  recorder.flush();
  const answer = await thread.scrape();
  if (answer === undefined) {
    const error = "Metrics cannot be had now; see the gateway's log.";
    return Response.json({ error }, { status: 503 });
  }
  return new Response(answer.text, {
    headers: {
      "content-type": answer.contentType,
      "cache-control": "no-store",
      // Names of tools are a server's to choose.
      "x-content-type-options": "nosniff",
    },
  });
}
