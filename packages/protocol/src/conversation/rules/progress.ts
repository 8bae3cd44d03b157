import { progressOf } from "../facts.ts";
import { type ConversationRule, FIRST_VERSION, otherTokenType, violation } from "./rule.ts";

/** Rules about the progress of requests. */
export const PROGRESS: readonly ConversationRule[] = [
  {
    id: "progress-token",
    section: "Progress, Behavior Requirements",
    must: FIRST_VERSION,
    sender: "both",
    kinds: ["notification"],
    methods: ["notifications/progress"],
    broken: ({ frame, sender, facts, whole }) => {
      const key = frame.progressTokenKey;
      const asker = facts.beyond(sender);
      if (key === undefined || asker.tokens.has(key)) return undefined;
      if (asker.tokens.has(otherTokenType(key))) {
        return violation(
          "/params/progressToken",
          "the type of progressToken differs from the request's",
        );
      }
      return whole && !asker.forgotToken
        ? violation("/params/progressToken", "no request has given this progressToken")
        : undefined;
    },
  },
  {
    id: "progress-increases",
    section: "Progress, Progress Flow",
    must: FIRST_VERSION,
    sender: "both",
    kinds: ["notification"],
    methods: ["notifications/progress"],
    broken: ({ frame, sender, facts }) => {
      const asker = facts.beyond(sender);
      const last = asker.tokens.get(frame.progressTokenKey ?? "")?.last;
      const progress = progressOf(frame);
      if (last === undefined || progress === undefined || progress > last) return undefined;
      return violation("/params/progress", "progress must increase with each notification");
    },
  },
  {
    id: "progress-ends",
    section: "Progress, Implementation Notes",
    must: FIRST_VERSION,
    sender: "both",
    kinds: ["notification"],
    methods: ["notifications/progress"],
    broken: ({ frame, sender, facts }) => {
      const asker = facts.beyond(sender);
      return asker.tokens.get(frame.progressTokenKey ?? "")?.ended === true
        ? violation(
            "/params/progressToken",
            "the request of this progressToken has its response, so its progress must stop",
          )
        : undefined;
    },
  },
];
