import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { ActivityRecord } from "@touchstone/records/record";
import { type Logger, PacedLog } from "@touchstone/util";
import type { AlertRule } from "../../features/alerts/alerts.ts";
import { type AlertEvent, eventOf } from "../../features/alerts/events.ts";
import type { AlertOutcome } from "../../insight/telemetry/telemetry.ts";
import type { Delivery, ShownAlert } from "../api/operator-schemas.ts";
import { AlertQueue, type Delay } from "./alert-queue.ts";
import { type DeliveryAttempt, failedAttempt } from "./attempt.ts";
import { runCommand } from "./command.ts";
import { Deliveries, deliveryOf, type Timed } from "./deliveries.ts";
import { documentOf, matchesRule, slackBody } from "./document.ts";
import { testText } from "./test-event.ts";
import { postWebhook } from "./webhook.ts";

/** How long waiting alerts delay the end of the gateway. */
const CLOSE_MS = 5_000;
/** Commands run one at a time, whichever rule starts them. */
const COMMANDS = "command";

export interface AlertsOptions {
  /** The gateway's own environment: variables for proxies, and for commands. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  /** Counts how each alert ended. Must not throw. */
  readonly count: (when: AlertEvent, outcome: AlertOutcome) => void;
  /** A monotonic clock, in milliseconds. */
  readonly now?: () => number;
  readonly pause?: Delay;
}

interface Live {
  readonly rule: AlertRule;
  /** Names it in the HTTP API. */
  readonly id: string;
  readonly since: Date;
  readonly deliveries: Deliveries;
  /** When its last alert was accepted. */
  last: number;
}

const pauseFor: Delay = async (ms, signal) => {
  await wait(ms, undefined, { signal, ref: false }).catch(() => {});
};

/**
 * Sends alerts about records. {@link take} neither waits nor throws, so alerts never delay a call. Failures are
 * logged and counted.
 */
export class Alerts {
  readonly #options: AlertsOptions;
  readonly #log: PacedLog;
  readonly #lanes: Map<string, AlertQueue> = new Map();
  readonly #hurry: AbortController = new AbortController();
  readonly #end: AbortController = new AbortController();
  /** Whether there are rules; if not, {@link take} has nothing to do. */
  isOn = false;
  #live: readonly Live[] = [];

  constructor(options: AlertsOptions) {
    this.#options = options;
    this.#log = new PacedLog(options.log);
  }

  /** Replaces the rules. Unchanged rules keep their intervals; waiting alerts are still sent. */
  update(rules: readonly AlertRule[] = []): void {
    const before = [...this.#live];
    this.isOn = rules.length > 0;
    this.#live = rules.map((rule) => {
      const at = before.findIndex((live) => isDeepStrictEqual(live.rule, rule));
      const [same] = at === -1 ? [] : before.splice(at, 1);
      return (
        same ?? {
          rule,
          id: randomUUID(),
          since: new Date(),
          deliveries: new Deliveries(),
          last: Number.NEGATIVE_INFINITY,
        }
      );
    });
    for (const [key, lane] of this.#lanes) if (lane.size === 0) this.#lanes.delete(key);
  }

  /** Takes records that were kept, and sends alerts about them. */
  take(records: readonly ActivityRecord[]): void {
    if (!this.isOn) return;
    for (const record of records) {
      const event = eventOf(record);
      if (event === undefined) continue;
      for (const live of this.#live) {
        if (matchesRule(live.rule, event, record)) this.#alert(live, record);
      }
    }
  }

  /** Returns the rules without their secrets, and how their alerts ended. */
  shown(): readonly ShownAlert[] {
    return this.#live.map(({ rule, id, since, deliveries }) => {
      const { when, server, tool, minInterval, to } = rule;
      return {
        id,
        when,
        ...(server === undefined ? {} : { server }),
        ...(tool === undefined ? {} : { tool }),
        to: "command" in to ? "command" : isSlack(rule) ? "slack" : "webhook",
        place: placeOf(rule),
        signed: "webhook" in to && to.webhook.secret !== undefined,
        minInterval,
        since: since.toISOString(),
        waiting: this.#lanes.get(laneOf(rule))?.size ?? 0,
        ...deliveries.counts,
      };
    });
  }

  /** Returns the events and the destination of a rule, for people; undefined if no rule has the id. */
  placeOf(id: string): string | undefined {
    const rule = this.#live.find((live) => live.id === id)?.rule;
    return rule && `${rule.when}, to ${placeOf(rule)}`;
  }

  /**
   * Sends a test of a rule: one attempt, at once, even if alerts wait for the destination. Metrics and the rule's
   * interval ignore it. Never rejects.
   * @returns undefined if no rule has the id
   */
  async test(id: string): Promise<Delivery | undefined> {
    const live = this.#live.find((each) => each.id === id);
    if (live === undefined) return undefined;
    const { rule, deliveries } = live;
    const ended = await this.#attempt(rule, testText(rule, new Date()), true);
    const delivery = deliveryOf(ended, new Date(), true);
    deliveries.ended(delivery);
    return delivery;
  }

  /** Sends waiting alerts, for 5 s at most and without retries, and drops the rest. Never rejects. */
  async close(): Promise<void> {
    this.isOn = false;
    this.#live = [];
    this.#hurry.abort();
    const late = setTimeout(() => this.#end.abort(), CLOSE_MS);
    await Promise.all([...this.#lanes.values()].map((lane) => lane.idle()));
    clearTimeout(late);
  }

  #alert(live: Live, record: ActivityRecord): void {
    const { rule, deliveries } = live;
    const count = (outcome: AlertOutcome): void => {
      this.#options.count(rule.when, outcome);
      deliveries.count(outcome);
    };
    const at = this.#now();
    if (at - live.last < rule.minInterval * 1000) {
      count("suppressed");
      return;
    }
    live.last = at;
    const key = laneOf(rule);
    const lane =
      this.#lanes.get(key) ?? new AlertQueue(this.#options.pause ?? pauseFor, this.#hurry.signal);
    this.#lanes.set(key, lane);
    if (lane.full) {
      count("dropped");
      this.#tell("an alert was dropped", rule, "too many are waiting to be sent");
      return;
    }
    // The text is made at once: a record may contain bodies, which must not stay in memory.
    const text = isSlack(rule) ? slackBody(rule.when, record) : documentOf(record);
    let durationMs = 0;
    lane.add({
      attempt: async () => {
        const timed = await this.#attempt(rule, text);
        durationMs = timed.durationMs;
        return timed.attempt;
      },
      ended: (last) => {
        count(last.sent ? "sent" : "failed");
        deliveries.ended(deliveryOf({ attempt: last, durationMs }, new Date(), false));
        if (!last.sent) this.#tell("an alert could not be sent", rule, last.reason);
      },
    });
  }

  #now(): number {
    const { now = () => performance.now() } = this.#options;
    return now();
  }

  async #attempt(rule: AlertRule, text: string, isTest = false): Promise<Timed> {
    const began = this.#now();
    const attempt = await this.#send(rule, text, isTest);
    return { attempt, durationMs: Math.round(this.#now() - began) };
  }

  async #send({ to, when }: AlertRule, text: string, isTest: boolean): Promise<DeliveryAttempt> {
    const { env } = this.#options;
    const { signal } = this.#end;
    if (signal.aborted) return failedAttempt("the gateway stopped before it was sent");
    if ("command" in to) return runCommand(to.command, text, { env, signal });
    return postWebhook(to.webhook, { event: when, body: text, isTest }, { env, signal });
  }

  #tell(what: string, rule: AlertRule, reason: string): void {
    this.#log.warn(what, `${what}: ${rule.when}, to ${placeOf(rule)}: ${reason}`);
  }
}

function isSlack({ to }: AlertRule): boolean {
  return "webhook" in to && to.webhook.format === "slack";
}

/** Returns the name of the queue for a rule: alerts in one queue are sent one after the other. */
function laneOf({ to }: AlertRule): string {
  return "command" in to ? COMMANDS : to.webhook.url;
}

/** Returns an alert's destination for people, without path and arguments, which may contain keys. */
function placeOf({ to }: AlertRule): string {
  return "command" in to ? `${to.command[0]}` : new URL(to.webhook.url).origin;
}
