import { expect, it } from "vitest";
import { BoundedStderr } from "./bounded-stderr.ts";

/** A stream that is not read before {@link read} is called. */
class Unread {
  #waiting = "";
  get writableLength(): number {
    return this.#waiting.length;
  }
  write(text: string): void {
    this.#waiting += text;
  }
  read(): string {
    const text = this.#waiting;
    this.#waiting = "";
    return text;
  }
}

const LINE = `${"x".repeat(1023)}\n`;

it.each([
  ["text\n", "touchstone warn: stderr was not read: 3975 lines were dropped\ntext\n"],
  [
    '{"a":1}\n',
    /^\{"@timestamp":[^\n]*"message":"stderr was not read: 3975 lines were dropped"[^\n]*\}\n\{"a":1\}\n$/,
  ],
])("keeps about 1 MiB for a reader, and counts what it drops: %j", (next, after) => {
  const stream = new Unread();
  const stderr = new BoundedStderr(stream);
  for (let line = 0; line < 5_000; line += 1) stderr.write(LINE);
  expect(stream.read()).toBe(LINE.repeat(1025));
  stderr.write(next);
  expect(stream.read()).toMatch(after);
  stderr.write(next);
  expect(stream.read()).toBe(next);
});

it("looks like a terminal if its stream is one", () => {
  const written: string[] = [];
  const write = (text: string) => written.push(text);
  const terminal = new BoundedStderr({ write, writableLength: 0, isTTY: true, columns: 80 });
  expect([terminal.isTTY, terminal.columns]).toEqual([true, 80]);
  const pipe = new BoundedStderr({ write, writableLength: 0 });
  expect(pipe.isTTY).toBe(false);
});
