import { progressOf } from "../facts.ts";
import { breach, FIRST, otherType, type Rule } from "./rule.ts";

/** Rules about the progress of requests. */
export const PROGRESS: readonly Rule[] = [
  {
    id: "progress-token",
    section: "Progress, Behavior Requirements",
    must: FIRST,
    sender: "both",
    kinds: ["notification"],
    methods: ["notifications/progress"],
    broken: ({ frame, sender, facts, whole }) => {
      const key = frame.progressTokenKey;
      const asker = facts.beyond(sender);
      if (key === undefined || asker.tokens.has(key)) return undefined;
      if (asker.tokens.has(otherType(key))) {
        return breach(
          "/params/progressToken",
          "the type of progressToken differs from the request's",
        );
      }
      return whole && !asker.forgotToken
        ? breach("/params/progressToken", "no request has given this progressToken")
        : undefined;
    },
  },
  {
    id: "progress-increases",
    section: "Progress, Progress Flow",
    must: FIRST,
    sender: "both",
    kinds: ["notification"],
    methods: ["notifications/progress"],
    broken: ({ frame, sender, facts }) => {
      const asker = facts.beyond(sender);
      const last = asker.tokens.get(frame.progressTokenKey ?? "")?.last;
      const progress = progressOf(frame);
      if (last === undefined || progress === undefined || progress > last) return undefined;
      return breach("/params/progress", "progress must increase with each notification");
    },
  },
  {
    id: "progress-ends",
    section: "Progress, Implementation Notes",
    must: FIRST,
    sender: "both",
    kinds: ["notification"],
    methods: ["notifications/progress"],
    broken: ({ frame, sender, facts }) => {
      const asker = facts.beyond(sender);
      return asker.tokens.get(frame.progressTokenKey ?? "")?.ended === true
        ? breach(
            "/params/progressToken",
            "the request of this progressToken has its response, so its progress must stop",
          )
        : undefined;
    },
  },
];
