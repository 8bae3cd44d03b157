import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { type ResumableStream, ResumedServerStream } from "./resumable-stream.ts";

/** A stream that keeps the signals that it was opened with, and the ends that it was told about. */
function listening() {
  const opened: { readonly signal: AbortSignal; readonly fail: (error: Error) => void }[] = [];
  const ends: unknown[] = [];
  const open = (signal: AbortSignal): ResumableStream => {
    const listen = (): Promise<void> =>
      new Promise((_resolve, fail) => {
        opened.push({ signal, fail });
      });
    return { listen } as unknown as ResumableStream;
  };
  return { stream: new ResumedServerStream(open, (error) => ends.push(error)), opened, ends };
}

const aborted = (opened: readonly { readonly signal: AbortSignal }[]): readonly boolean[] =>
  opened.map(({ signal }) => signal.aborted);

it("opens one stream, and another in a new session", () => {
  const { stream, opened } = listening();
  stream.begin();
  stream.begin();
  expect(aborted(opened)).toEqual([false]);
  stream.beginAnew();
  expect(aborted(opened)).toEqual([true, false]);
  stream.end();
  expect(aborted(opened)).toEqual([true, true]);
});

it("listens no more after it was left, whatever begins late", () => {
  const { stream, opened } = listening();
  stream.end();
  stream.begin();
  stream.beginAnew();
  expect(opened).toEqual([]);
});

it("reports that the server offers no stream, but not for an abandoned one", async () => {
  const { stream, opened, ends } = listening();
  const fault = new Error("none");
  stream.begin();
  stream.beginAnew();
  for (const { fail } of opened) fail(fault);
  await setImmediate();
  expect(ends).toEqual([fault]);
});
