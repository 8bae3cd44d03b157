import type { ActivityQuestion } from "../api/api.ts";
import type { ErasureRequest } from "../erase/eraser.ts";
import type { ActivityErrorCode } from "../errors.ts";
import type { Erasure } from "../response-schemas.ts";
import type { RolloutSettings } from "../rollout/settings.ts";
import type { Retention } from "../store.ts";

/** A message to the thread. The sender chooses the `id`. */
export type ToWorker =
  | {
      readonly kind: "request";
      readonly id: number;
      readonly question: ActivityQuestion;
      readonly settings: RolloutSettings | undefined;
    }
  /** Requests the next piece of a response's body. */
  | { readonly kind: "pull"; readonly id: number }
  | { readonly kind: "cancel"; readonly id: number }
  | { readonly kind: "prune"; readonly id: number; readonly retention: Retention }
  | { readonly kind: "erase"; readonly id: number; readonly request: ErasureRequest }
  | { readonly kind: "close" };

/** A message from the thread. */
export type FromWorker =
  | {
      readonly kind: "head";
      readonly id: number;
      readonly status: number;
      readonly headers: readonly (readonly [string, string])[];
    }
  /** A piece of a body; `null` marks its end. */
  | { readonly kind: "piece"; readonly id: number; readonly bytes: Uint8Array | null }
  | { readonly kind: "erased"; readonly id: number; readonly erasure: Erasure }
  | { readonly kind: "pruned"; readonly id: number; readonly removed: number }
  | {
      readonly kind: "error";
      readonly id: number;
      readonly code: ActivityErrorCode | undefined;
      readonly message: string;
    };
