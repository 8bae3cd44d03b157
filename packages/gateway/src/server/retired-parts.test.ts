import { EventEmitter, once } from "node:events";
import { expect, it } from "vitest";
import { RetiredParts } from "./retired-parts.ts";

it("waits for all pending ends, and reports failures", async () => {
  const leaving = new RetiredParts();
  const ends = new EventEmitter();
  const told: string[] = [];
  const failing = once(ends, "first").then(() => Promise.reject(new Error("the disk is full")));
  const left = leaving.add(failing, (reason) => told.push(reason));
  const second = once(ends, "second").then(() => {});
  void leaving.add(second, (reason) => told.push(reason));
  let gone = false;
  const all = leaving.gone().then(() => {
    gone = true;
  });
  ends.emit("first");
  await left;
  expect({ told, gone }).toEqual({ told: ["the disk is full"], gone: false });
  ends.emit("second");
  await all;
  await leaving.gone();
  expect(told).toEqual(["the disk is full"]);
});
