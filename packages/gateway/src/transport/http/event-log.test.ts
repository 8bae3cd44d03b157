import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EventLog } from "./event-stream.ts";

const frame = (text: string): Uint8Array => Buffer.from(text);
const texts = (log: EventLog, id: string) =>
  log.after(id)?.events.map((event) => Buffer.from(event.frame).toString());

describe("the events of a session", () => {
  it("are replayed after a given event, for its stream only", () => {
    const log = new EventLog();
    const [a, b] = [log.newStream(), log.newStream()];
    const begun = log.add(a);
    const first = log.add(a, frame("1"));
    const other = log.add(b, frame("2"));
    const last = log.add(a, frame("3"));
    expect(texts(log, begun)).toEqual(["1", "3"]);
    expect(texts(log, first)).toEqual(["3"]);
    expect(texts(log, last)).toEqual([]);
    expect(texts(log, other)).toEqual([]);
    expect(log.after(begun)).toMatchObject({ stream: a, incomplete: false });
    expect(new Set([begun, first, other, last]).size).toBe(4);
  });

  it("are bounded in number and size, with gaps reported", () => {
    const log = new EventLog(3, 10);
    const stream = log.newStream();
    const begun = log.add(stream);
    for (const text of ["a", "b", "c", "d"]) log.add(stream, frame(text));
    expect(texts(log, begun)).toEqual(["b", "c", "d"]);
    expect(log.after(begun)?.incomplete).toBe(true);
    const large = log.add(stream, frame("0123456789"));
    expect(texts(log, begun)).toEqual(["0123456789"]);
    expect(log.after(large)).toEqual({ stream, events: [], incomplete: false });
    log.add(stream, frame("larger than all"));
    expect(texts(log, begun)).toEqual([]);
    expect(log.after(begun)?.incomplete).toBe(true);
  });

  it("have a recent gap reported, however many streams there were", () => {
    const log = new EventLog(2);
    const [a, b, c] = [log.newStream(), log.newStream(), log.newStream()];
    const begun = log.add(a);
    for (const stream of [a, b, a, c, c, c]) log.add(stream, frame("x"));
    expect(log.after(begun)).toMatchObject({ events: [], incomplete: true });
    // The log knows no more streams than it keeps events.
    expect(log.after(`${b}-1`)).toMatchObject({ events: [], incomplete: false });
  });

  it.each(["", "1", "1-", "-1", "9-1", "1-9", "1-0", "a-b", "1-1-1", "1e1-1", " 1-1"])(
    "are unknown after an id that was never issued: %j",
    (id) => {
      const log = new EventLog();
      log.add(log.newStream(), frame("x"));
      expect(log.after(id)).toBeUndefined();
    },
  );

  it("can be looked up by any text without throwing", () => {
    const log = new EventLog();
    fc.assert(fc.property(fc.string(), (id) => void log.after(id)));
  });
});
