import type { Attention } from "@touchstone/gateway/api";
import { describe, expect, it } from "vitest";
import { changedText } from "../pins/pins.ts";
import { attentionBadges, waitingText } from "./attention.ts";

const none = { count: 0, atLeast: false, items: [] };
const unknown = { count: null, atLeast: false, items: [], error: "The store is down." };
const attention = (more: Partial<Attention>): Attention => ({
  ...{ held: none, servers: none, schemaChanges: none, alerts: none },
  ...more,
});

describe("badges", () => {
  it.each([
    ["nothing", {}, {}],
    ["one held tool", { held: { ...none, count: 1 } }, { pins: "1" }],
    ["many changes", { schemaChanges: { ...none, count: 57, atLeast: true } }, { changes: "57+" }],
    ["what cannot be read", { held: unknown }, { pins: "?" }],
    [
      "servers and alerts",
      { servers: { ...none, count: 2 }, alerts: { ...none, count: 1 } },
      { servers: "2", settings: "1" },
    ],
  ])("for %s", (_, more, counts) => {
    const badges = attentionBadges(attention(more));
    const shown = Object.entries(badges).map(([page, badge]) => [page, badge.count]);
    expect(Object.fromEntries(shown)).toEqual(counts);
  });

  it("are none before anything is known", () => expect(attentionBadges(undefined)).toEqual({}));
});

it.each([
  [{ count: 1, atLeast: false }, "1 tool is held"],
  [{ count: 1_200, atLeast: false }, "1,200 tools are held"],
  [{ count: 20, atLeast: true }, "At least 20 tools are held"],
  [{ count: null, atLeast: false }, "It is unknown how many tools are held"],
])("says %j", (part, text) => expect(waitingText(part, "tool", "held")).toBe(text));

it.each([
  [
    { changed: ["description", "inputSchema.required"], previous: "a" },
    /^2 changes: description, inputSchema.required$/,
  ],
  [{ changed: ["description"], previous: "a" }, /^1 change: description$/],
  [
    { changed: Array.from({ length: 30 }, (_, at) => `m${at}`), previous: "a" },
    /^30 changes: .* and 20 more$/,
  ],
  [{ changed: ["\u202e"], previous: "a" }, /^1 change: [^\u202e]+$/],
  [{ changed: null, previous: "a" }, /^It is unknown/],
  [{ changed: null, previous: null }, /^New: /],
])("says what has changed: %j", (pin, text) => expect(changedText(pin)).toMatch(text));
