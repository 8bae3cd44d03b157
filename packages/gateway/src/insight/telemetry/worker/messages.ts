import type { StorePlace } from "@touchstone/records/plain";
import type { OtlpSignals } from "../environment.ts";
import type { FactBatch } from "../facts.ts";
import type { ServerAddresses } from "../telemetry.ts";

/** How to send activity records. */
export interface RecordSettings {
  readonly place: StorePlace;
  /** Whether to include arguments, results and other texts of calls, as they are stored. */
  readonly bodies: boolean;
  /** When this process began, in milliseconds since 1970. */
  readonly since: number;
}

/** The thread's start data. */
export interface WorkerSettings {
  /** Whether to count for `GET /metrics`. */
  readonly metrics: boolean;
  readonly otlp: OtlpSignals;
  /** Which records to send, and from where; absent if none are sent. */
  readonly records?: RecordSettings | undefined;
  /** The gateway's version. */
  readonly version: string;
}

export type ToWorker =
  | { readonly kind: "server"; readonly place: ServerAddresses }
  | { readonly kind: "batch"; readonly batch: FactBatch }
  | { readonly kind: "scrape"; readonly id: number }
  | { readonly kind: "close" };

export type FromWorker =
  /** The thread has loaded its modules; messages posted earlier are processed from now on. */
  | { readonly kind: "ready" }
  /** The oldest batch has been counted. */
  | { readonly kind: "taken" }
  | {
      readonly kind: "metrics";
      readonly id: number;
      readonly contentType: string;
      readonly text: string;
    }
  | { readonly kind: "log"; readonly level: "debug" | "warn"; readonly message: string };
