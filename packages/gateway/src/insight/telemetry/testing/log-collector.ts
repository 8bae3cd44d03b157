import { EventEmitter, once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { onTestFinished } from "vitest";

/** A log record as it was received. */
export interface ReceivedLog {
  readonly timeUnixNano: string;
  readonly severityText: string;
  readonly eventName: string;
  readonly body: string | undefined;
  readonly attributes: Readonly<Record<string, string | number | undefined>>;
}

interface Value {
  readonly stringValue?: string;
  readonly intValue?: number | string;
  readonly doubleValue?: number;
}
interface RawLog extends Omit<ReceivedLog, "attributes" | "body"> {
  readonly body: Value;
  readonly attributes: readonly { readonly key: string; readonly value: Value }[];
}
interface Body {
  readonly resourceLogs: readonly {
    readonly scopeLogs: readonly { readonly logRecords: readonly RawLog[] }[];
  }[];
}

/**
 * An OTLP/HTTP receiver of logs as JSON (OpenTelemetry Protocol Specification, OTLP/HTTP) with an address of its own.
 * It is down until it is started, and it can be stopped and restarted at the same address.
 */
export class LogCollector {
  /** The records that it has accepted, in order of arrival. */
  readonly logs: ReceivedLog[] = [];
  /** The number of records in each request, including requests that were not accepted. */
  readonly sizes: number[] = [];
  /** Returns the status of the response to a request with that many records; 200 by default. */
  status: (records: number) => number = () => 200;
  readonly #arrivals: EventEmitter = new EventEmitter();
  #port = 0;
  #server: Server | undefined;

  static async reserve(): Promise<LogCollector> {
    const collector = new LogCollector();
    await collector.start();
    await collector.stop();
    onTestFinished(() => collector.stop());
    return collector;
  }

  get env(): Record<string, string> {
    return {
      OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: `http://127.0.0.1:${this.#port}/v1/logs`,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      // The exporter gives up its own retries after this time.
      OTEL_EXPORTER_OTLP_LOGS_TIMEOUT: "500",
    };
  }

  /** The ids of the records that it has accepted. */
  get ids(): readonly unknown[] {
    return this.logs.map(({ attributes }) => attributes["log.record.uid"]);
  }

  async start(): Promise<void> {
    const server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        const raw = Buffer.concat(parts);
        const body = request.headers["content-encoding"] === "gzip" ? gunzipSync(raw) : raw;
        const logs = received(JSON.parse(body.toString()) as Body);
        const status = this.status(logs.length);
        this.sizes.push(logs.length);
        if (status === 200) this.logs.push(...logs);
        response.writeHead(status, { "content-type": "application/json" }).end("{}");
        this.#arrivals.emit("request");
      });
    });
    await new Promise<void>((resolve) => server.listen(this.#port, "127.0.0.1", resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    server?.closeAllConnections();
    await new Promise<void>((resolve) =>
      server === undefined ? resolve() : server.close(() => resolve()),
    );
  }

  /** Waits until a condition holds; checks it after each request. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await once(this.#arrivals, "request");
  }
}

function received({ resourceLogs }: Body): readonly ReceivedLog[] {
  return resourceLogs
    .flatMap(({ scopeLogs }) => scopeLogs)
    .flatMap(({ logRecords }) => logRecords)
    .map(({ body, attributes, ...rest }) => ({
      ...rest,
      body: body.stringValue,
      attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)])),
    }));
}

function plain({ stringValue, intValue, doubleValue }: Value): string | number | undefined {
  return stringValue ?? doubleValue ?? (intValue === undefined ? undefined : Number(intValue));
}
