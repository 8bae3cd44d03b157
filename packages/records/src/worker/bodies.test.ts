import { expect, it, vi } from "vitest";
import { Bodies } from "./bodies.ts";

function body(): { readonly stream: ReadableStream<Uint8Array>; readonly cancel: () => void } {
  const cancel = vi.fn();
  const pull = (to: ReadableStreamDefaultController<Uint8Array>): void =>
    to.enqueue(new Uint8Array([1]));
  return { stream: new ReadableStream({ pull, cancel }), cancel };
}

it("discards a response whose requester left before it was ready", async () => {
  const bodies = new Bodies();
  const { stream, cancel } = body();
  bodies.begin(1);
  await bodies.cancel(1);
  expect(await bodies.open(1, stream)).toBe(false);
  expect(cancel).toHaveBeenCalledOnce();
  expect(await bodies.read(1)).toBeNull();
});

it("delivers chunks until the requester leaves", async () => {
  const bodies = new Bodies();
  const { stream, cancel } = body();
  bodies.begin(1);
  expect(await bodies.open(1, stream)).toBe(true);
  expect(await bodies.read(1)).toEqual(new Uint8Array([1]));
  await bodies.cancel(1);
  expect(cancel).toHaveBeenCalledOnce();
  expect(await bodies.read(1)).toBeNull();
});

it("forgets a body that failed, and cancels the others on close", async () => {
  const bodies = new Bodies();
  const { stream, cancel } = body();
  bodies.begin(1);
  bodies.begin(2);
  const broken = new ReadableStream<Uint8Array>({
    pull: () => Promise.reject(new Error("unreadable")),
  });
  await bodies.open(1, broken);
  await bodies.open(2, stream);
  await expect(bodies.read(1)).rejects.toThrow("unreadable");
  expect(await bodies.read(1)).toBeNull();
  await bodies.end();
  expect(cancel).toHaveBeenCalledOnce();
});
