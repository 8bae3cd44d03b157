import type { TypeOf } from "@touchstone/util/schema";
import { type AlertEvent, EVENT_NAMES } from "./events.ts";

/** `alerts` of the file: which records are sent, and where. */
export const ALERTS = {
  type: "array",
  description: "Which records are sent, and where",
  items: {
    type: "object",
    properties: {
      when: {
        enum: EVENT_NAMES,
        description: "Which records are alerts",
      },
      server: { type: "string", description: "Only records of this server" },
      tool: { type: "string", description: "Only records of this tool" },
      webhook: {
        type: "object",
        properties: {
          // The URL of a webhook is often a key in itself.
          url: { type: "string", writeOnly: true, description: "Where each alert is sent to" },
          secret: {
            type: "string",
            writeOnly: true,
            description: "Key of the signature of each request",
          },
          format: {
            enum: ["json", "slack"],
            default: "json",
            description: "The record, or a text for Slack",
          },
        },
        additionalProperties: false,
      },
      command: {
        type: "array",
        items: { type: "string" },
        words: true,
        writeOnly: true,
        description: "A program and its arguments; the record is on its stdin",
      },
      min_interval: {
        type: "number",
        exclusiveMinimum: 0,
        maximum: 86_400,
        description: "Minimum time between two alerts of this entry, in seconds",
      },
    },
    additionalProperties: false,
  },
} as const;

/** One entry of `alerts`. */
export type AlertSection = TypeOf<(typeof ALERTS)["items"]>;

/** Where a webhook's requests go, and their content. */
export interface Webhook {
  /** An absolute `http:` or `https:` URL. */
  readonly url: string;
  /** The key of the signature; without it, requests are not signed. */
  readonly secret?: string;
  /** `json`: the record. `slack`: a text for Slack's incoming webhooks. */
  readonly format: "json" | "slack";
}

/** One entry of `alerts`: which records to send, and where. */
export interface AlertRule {
  readonly when: AlertEvent;
  /** Only records of this server. */
  readonly server?: string;
  /** Only records of this tool. */
  readonly tool?: string;
  /** Minimum time between two alerts of this rule, in seconds. 0: every matching record is sent. */
  readonly minInterval: number;
  /** A request, or a program with arguments that receives the record on stdin. */
  readonly to: { readonly webhook: Webhook } | { readonly command: readonly string[] };
}

/** Returns a rule as the file has it. */
export function alertSection({ to, minInterval, ...rule }: AlertRule): AlertSection {
  return { ...rule, ...to, ...(minInterval === 0 ? {} : { min_interval: minInterval }) };
}
