import { setImmediate } from "node:timers/promises";
import { idKey, readFrame, requestFrame } from "@touchstone/protocol/advanced";
import { expect, it } from "vitest";
import { OpenPost, OpenPosts } from "./open-posts.ts";

const NEVER = new AbortController().signal;

function opened(method: string, ...ids: readonly string[]) {
  const posts = new OpenPosts();
  const post = (of: string, open: readonly string[]): OpenPost => {
    const made = new OpenPost(
      of,
      open.map((id) => readFrame(requestFrame(id, of, "{}"))),
    );
    posts.add(made);
    return made;
  };
  return { posts, post, first: post(method, ids) };
}

it("waits for open requests, but not for later ones", async () => {
  const { posts, post, first } = opened("tools/call", "1");
  let isIdle = false;
  const idle = posts.idle(NEVER).then(() => {
    isIdle = true;
  });
  post("tools/call", ["2"]);
  await setImmediate();
  expect(isIdle).toBe(false);
  posts.end(first);
  await idle;
});

it("does not wait for a subscription", async () => {
  await opened("subscriptions/listen", "1").posts.idle(NEVER);
});

it("stops waiting when its signal aborts", async () => {
  const { posts } = opened("tools/call", "1");
  const late = new AbortController();
  const idle = posts.idle(late.signal);
  late.abort();
  await idle;
  await posts.idle(AbortSignal.abort());
});

it("aborts only the POST of the canceled request", () => {
  const { posts, post, first } = opened("tools/call", "1");
  const other = post("tools/call", ["2"]);
  posts.cancel(idKey("1"));
  expect([first.abort.signal.aborted, other.abort.signal.aborted]).toEqual([true, false]);
  expect(first.size).toBe(0);
  posts.abortAll();
  expect(other.abort.signal.aborted).toBe(true);
});
