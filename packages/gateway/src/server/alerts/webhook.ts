import { createHmac } from "node:crypto";
import { timeoutSignal, tlsErrorText, VERSION } from "@touchstone/util";
import type { Webhook } from "../../features/alerts/alerts.ts";
import type { AlertEvent } from "../../features/alerts/events.ts";
import { fetchFor } from "../../transport/http/proxy.ts";
import { type DeliveryAttempt, failedAttempt } from "./attempt.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const TIMEOUT_MS = 10_000;
const MAX_RETRY_AFTER_S = 60;

/**
 * Returns the value of `Touchstone-Signature`: `t`, seconds since the Unix epoch, and `v1`, the HMAC-SHA256 (RFC 2104)
 * over `t`, a dot and the body, in hex.
 */
export function webhookSignature(secret: string, body: string, seconds: number): string {
  const hex = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
  return `t=${seconds},v1=${hex}`;
}

/** What is sent. */
export interface Sent {
  readonly event: AlertEvent;
  readonly body: string;
  /** Whether it is a test that an operator sends, about an event that did not happen. Default: false. */
  readonly isTest?: boolean;
}

/**
 * Sends a body to a webhook once. Follows no redirect and waits 10 s at most. Never rejects.
 * @param env variables that may name a proxy
 * @param signal ends it early
 */
export async function postWebhook(
  { url, secret }: Webhook,
  { event, body, isTest = false }: Sent,
  { env, signal }: { readonly env: Environment; readonly signal: AbortSignal },
): Promise<DeliveryAttempt> {
  try {
    const send = await fetchFor(url, env);
    const response = await send(url, {
      method: "POST",
      redirect: "manual",
      signal: timeoutSignal(TIMEOUT_MS, signal),
      headers: {
        "content-type": "application/json",
        "user-agent": `touchstone/${VERSION}`,
        "touchstone-event": event,
        ...(isTest ? { "touchstone-test": "true" } : {}),
        ...(secret === undefined
          ? {}
          : {
              "touchstone-signature": webhookSignature(secret, body, Math.floor(Date.now() / 1000)),
            }),
      },
      body,
    });
    // The response's body is not read.
    await response.body?.cancel();
    return outcomeOf(response);
  } catch (error) {
    return { sent: false, reason: describe(error), again: true };
  }
}

function outcomeOf({ ok, status, headers }: Response): DeliveryAttempt {
  if (ok) return { sent: true, status };
  if (status >= 300 && status < 400) {
    return failedAttempt(
      `the receiver redirects (HTTP ${status}), and redirects are not followed; write the URL that it leads to`,
      { status },
    );
  }
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  return {
    sent: false,
    status,
    reason: `the receiver returned HTTP ${status}`,
    again: status >= 500 || status === 408 || status === 429,
    ...(seconds > 0 ? { afterMs: Math.min(seconds, MAX_RETRY_AFTER_S) * 1000 } : {}),
  };
}

/** The cause is more specific than "fetch failed". Neither contains the URL's path, which may be a key. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return `no response within ${TIMEOUT_MS / 1000} s`;
  if (error.name === "AbortError") return "there was no response before the gateway stopped";
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  const { code } = cause as NodeJS.ErrnoException;
  return tlsErrorText(cause) ?? (cause.message === "" ? (code ?? error.message) : cause.message);
}
