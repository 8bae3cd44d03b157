import type { StorePlace } from "../../../records/worker/messages.ts";
import type { OtlpSignals } from "../environment.ts";
import type { Batch } from "../facts.ts";
import type { ServerPlace } from "../telemetry.ts";

/** How activity records are sent. */
export interface RecordSettings {
  readonly place: StorePlace;
  /** With arguments, results and other texts of calls, as they are stored. */
  readonly bodies: boolean;
  /** When this process began, in milliseconds since 1970. */
  readonly since: number;
}

/** What the thread is started with. */
export interface WorkerSettings {
  /** Count for `GET /metrics`. */
  readonly metrics: boolean;
  readonly otlp: OtlpSignals;
  /** Which records are sent, and from where; absent if none are. */
  readonly records?: RecordSettings | undefined;
  /** The gateway's version. */
  readonly version: string;
}

export type ToWorker =
  | { readonly kind: "server"; readonly place: ServerPlace }
  | { readonly kind: "batch"; readonly batch: Batch }
  | { readonly kind: "scrape"; readonly id: number }
  | { readonly kind: "close" };

export type FromWorker =
  /** The thread has loaded what it needs; what was posted before is taken from now on. */
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
