import fc from "fast-check";
import { expect, it } from "vitest";
import type { Mode } from "../settings/validation.ts";
import { lookalikeIds } from "./in-flight.ts";
import type { MessageOutput } from "./pipeline.ts";
import { ADD, all, Harness, LEGACY, PLAIN } from "./testing/harness.ts";

const id = fc.constantFrom("1", "2", '"1"', "1.0", "null", "{}");
const value = fc.constantFrom(
  "{}",
  "[]",
  "null",
  "0",
  '{"a":1}',
  '{"sum":1.0}',
  '{"a":1,"a":2}',
  '"\\ud800"',
);
const name = fc.constantFrom('"add"', '"plain"', '"nobody"', "5", '"__proto__"');
const request = fc
  .tuple(
    id,
    fc.constantFrom("ping", "tools/list", "tools/call", "tasks/result", "initialize"),
    name,
    value,
  )
  .map(
    ([i, method, n, v]) =>
      `{"jsonrpc":"2.0","id":${i},"method":"${method}","params":{"name":${n},"arguments":${v},"taskId":"t","task":{},"protocolVersion":"${LEGACY}","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
  );
const notification = fc
  .tuple(
    fc.constantFrom("notifications/cancelled", "notifications/tools/list_changed", "tools/call"),
    id,
    name,
  )
  .map(
    ([method, i, n]) =>
      `{"jsonrpc":"2.0","method":"${method}","params":{"requestId":${i},"name":${n}}}`,
  );
const answer = fc
  .tuple(id, value, fc.boolean())
  .map(
    ([i, v, task]) =>
      `{"jsonrpc":"2.0","id":${i},"result":{"content":[],"structuredContent":${v},"tools":[${JSON.stringify(ADD)}]${task ? ',"task":{"taskId":"t"}' : ""}}}`,
  );
const error = id.map((i) => `{"jsonrpc":"2.0","id":${i},"error":{"code":1,"message":""}}`);
const odd = fc.constantFrom(
  '{"jsonrpc":"2.0","id":1}',
  '{"id":2,"result":1,"error":2}',
  '{"method":7,"id":1}',
);
const single = fc.oneof(request, notification, answer, error, odd);
const valid = fc.oneof(
  { weight: 6, arbitrary: single },
  { weight: 1, arbitrary: fc.array(single, { maxLength: 4 }).map((items) => `[${items.join()}]`) },
);
const step = fc.record({
  side: fc.constantFrom("client" as const, "server" as const),
  text: fc.oneof(
    { weight: 8, arbitrary: valid },
    {
      weight: 1,
      arbitrary: fc.tuple(valid, fc.nat()).map(([text, n]) => text.slice(0, n % text.length)),
    },
    { weight: 1, arbitrary: fc.string() },
  ),
});
const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** Whether a JSON text contains a response without an id. */
const hasNameless = (text: string): boolean =>
  [JSON.parse(text)].flat().some((item) => {
    if (typeof item !== "object" || item === null) return false;
    return (item.id ?? null) === null && ("result" in item || "error" in item);
  });

/** What a side receives, in the order of the passages. */
function received(
  passage: MessageOutput,
  from: "client" | "server",
  by: "client" | "server",
): Uint8Array[] {
  const onward = passage.onward === undefined ? [] : [passage.onward];
  return from === by ? [...(passage.back ?? [])] : [...onward, ...(passage.beside ?? [])];
}

const idsOf = (h: Harness, frames: readonly Uint8Array[], kinds: readonly string[]): string[] =>
  frames.flatMap((bytes) => {
    const frame = h.read(bytes);
    const items: unknown =
      frame.kind === "batch" ? JSON.parse(Buffer.from(bytes).toString()) : undefined;
    if (Array.isArray(items)) {
      return idsOf(
        h,
        items.map((item) => Buffer.from(JSON.stringify(item))),
        kinds,
      );
    }
    return kinds.includes(frame.kind) && frame.idKey !== undefined ? [frame.idKey] : [];
  });

it.each(["off", "warn", "strict"] as Mode[])(
  "for any messages from both sides, nothing throws and every request is answered (%s)",
  async (mode) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), fc.boolean(), async (steps, together) => {
        const h = new Harness({ settings: all(mode) });
        await h.list([ADD, PLAIN]);
        const toClient: Uint8Array[] = [];
        const sent: Uint8Array[] = [];
        const changed: Uint8Array[] = [];
        const own: Uint8Array[] = [];
        const cancels = steps.some(({ text }) => text.includes("notifications/cancelled"));
        const turns = steps.map(({ side, text }) => async (): Promise<void> => {
          const frame = h.read(text);
          if (side === "client") sent.push(frame.bytes);
          const passage = await h[side](frame);
          const got = received(passage, side, "client");
          toClient.push(...got);
          own.push(...got.filter((bytes) => bytes !== frame.bytes));
          const message = isJson(text) && (frame.kind !== "invalid" || side === "client");
          if (mode === "strict" || !message) return;
          expect(passage.back ?? []).toEqual([]);
          // A response to a canceled request is dropped, and one without an id may go to the only pending request.
          const late = passage.onward === undefined && cancels;
          if (late || hasNameless(text)) return;
          if (passage.onward !== frame.bytes) changed.push(frame.bytes);
        });
        if (together) await Promise.all(turns.map((turn) => turn()));
        else for (const turn of turns) await turn();
        toClient.push(...(await h.pipeline.end("gone")));

        const texts = steps.map(({ text }) => text).join();
        const asked = idsOf(h, sent, ["request"]);
        const answered = idsOf(h, toClient, ["response", "error"]);
        // A broken frame may have been treated as the only pending response, and the client got an error for it: the
        // real response is then one too many.
        const ended = idsOf(h, own, ["error"]).flatMap((key) => [key, ...lookalikeIds(key)]);
        for (const bytes of changed) {
          const late = idsOf(h, [bytes], ["response", "error"]);
          expect(late.filter((key) => ended.includes(key))).not.toEqual([]);
        }
        const count = (keys: readonly string[], key: string): number =>
          keys.filter((other) => other === key).length;
        // A canceled request may remain without a response.
        if (!texts.includes("notifications/cancelled")) {
          for (const key of asked) {
            expect(count(answered, key)).toBeGreaterThanOrEqual(count(asked, key));
          }
        }
        expect(h.pipeline.pending).toBe(0);
        expect(h.lines.filter((line) => line.includes("could not be checked"))).toEqual([]);
        // One record for each call that has a name, whatever its outcome.
        const calls = h.records("tool_call").map(({ request_id }) => request_id);
        expect(new Set(calls).size).toBe(calls.length);
        const decisions = h.records("policy_decision");
        if (mode === "off") expect(decisions).toEqual([]);
      }),
      { numRuns: 100 },
    );
  },
);
