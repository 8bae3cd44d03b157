import type { Frame } from "@touchstone/protocol/advanced";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { MessageOutput } from "../pipeline/pipeline.ts";
import {
  ADD,
  all,
  bytesOf,
  call,
  Harness,
  structured,
  toolList,
} from "../pipeline/testing/harness.ts";
import { ClientFrameQueue, OrderedRelease } from "./ordered-release.ts";

const notification = (n: number): string =>
  `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":${n}}}`;

type Kind = "good call" | "faulty call" | "ping" | "notification" | "cancel";
const KINDS: Kind[] = ["good call", "faulty call", "ping", "notification", "cancel"];

interface Step {
  readonly kind: Kind;
  /** Which of the calls before it a cancellation is about. */
  readonly which: number;
  /** Whether the event loop goes round before it. */
  readonly turn: boolean;
}

const steps = fc.array(
  fc.record({ kind: fc.constantFrom(...KINDS), which: fc.nat(), turn: fc.boolean() }),
  { minLength: 1, maxLength: 12 },
);

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The client's messages of some steps; a cancellation names an id that a call has. */
function messagesOf(given: readonly Step[]): string[] {
  const calls: number[] = [];
  return given.map(({ kind, which }, at) => {
    const id = at + 1;
    switch (kind) {
      case "good call":
      case "faulty call":
        calls.push(id);
        return call(id, "add", kind === "good call" ? '{"a":1}' : '{"a":"1"}');
      case "ping":
        return `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;
      case "notification":
        return '{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}';
      default: {
        const about = calls[which % Math.max(1, calls.length)] ?? 999;
        return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${about}}}`;
      }
    }
  });
}

it("a client's messages keep their order, except behind calls that wait for the list", async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.boolean(), fc.scheduler(), async (given, listed, s) => {
      const h = new Harness({ settings: all("warn") });
      if (listed) await h.list([ADD]);
      h.activity.gate = () => s.schedule(Promise.resolve());
      h.ask = () =>
        s.schedule(
          Promise.resolve(
            bytesOf({ jsonrpc: "2.0", id: "x", result: toolList([ADD]) }) as Uint8Array,
          ),
        );
      const left: (Uint8Array | undefined)[] = [];
      const client = { pause: () => {}, resume: () => {} };
      const toServer = new ClientFrameQueue(async ({ onward }: MessageOutput) => {
        left.push(onward);
      }, client);
      const texts = messagesOf(given);
      const came: Frame[] = [];
      for (const [at, text] of texts.entries()) {
        if (given[at]?.turn) await nextTurn();
        const frame = h.read(text);
        came.push(frame);
        toServer.add(h.pipeline.fromClient(frame), frame.bytes.length);
      }
      let done = false;
      const settled = toServer.settled().then(() => {
        done = true;
      });
      while (!done) {
        if (s.count() > 0) await s.waitOne();
        await nextTurn();
      }
      await settled;
      // All of them, as they came.
      const places = came.map(({ bytes }) => left.indexOf(bytes));
      expect([...places].sort((a, b) => a - b)).toEqual(came.map((_, at) => at));
      const rising = (of: readonly number[]): void =>
        expect(of).toEqual([...of].sort((a, b) => a - b));
      if (listed) rising(places);
      const isCall = ({ method }: Frame): boolean => method === "tools/call";
      const isCancel = ({ method }: Frame): boolean => method === "notifications/cancelled";
      rising(places.filter((_, at) => isCall(came[at] as Frame)));
      rising(places.filter((_, at) => !isCall(came[at] as Frame) && !isCancel(came[at] as Frame)));
      for (const [at, frame] of came.entries()) {
        if (!isCancel(frame)) continue;
        const about = came.findIndex(({ idKey }) => idKey === frame.requestIdKey);
        if (about >= 0) expect(places[at]).toBeGreaterThan(places[about] as number);
      }
      // Each cancellation has found its call, also one that waited.
      const requests = came.filter(({ kind }) => kind === "request");
      const cancelled = new Set(came.flatMap(({ requestIdKey }) => requestIdKey ?? []));
      const awaited = requests.filter(({ idKey = "" }) => !cancelled.has(idKey));
      expect(h.pipeline.pending).toBe(awaited.length);
    }),
    { numRuns: 60 },
  );
});

it("a server's messages keep their order, whatever waits", async () => {
  const kinds = fc.array(fc.constantFrom("good", "faulty", "notification"), {
    minLength: 1,
    maxLength: 12,
  });
  await fc.assert(
    fc.asyncProperty(kinds, fc.scheduler(), async (given, s) => {
      const h = new Harness({ settings: all("warn") });
      await h.list([ADD]);
      for (const at of given.keys()) await h.client(call(at, "add", '{"a":1}'));
      h.activity.gate = () => s.schedule(Promise.resolve());
      const left: (Uint8Array | undefined)[] = [];
      const toClient = new OrderedRelease(async ({ onward }: MessageOutput) => {
        left.push(onward);
      });
      const came = given.map((kind, at) => {
        if (kind === "notification") return h.read(notification(at));
        return h.read(structured(at, kind === "good" ? '{"sum":1}' : '{"sum":"1"}'));
      });
      const released = came.map((frame) => toClient.add(h.pipeline.fromServer(frame)));
      let done = false;
      const ended = Promise.all(released).then(() => {
        done = true;
      });
      while (!done) {
        if (s.count() > 0) await s.waitOne();
        await nextTurn();
      }
      await ended;
      expect(left).toEqual(came.map(({ bytes }) => bytes));
    }),
    { numRuns: 60 },
  );
});
