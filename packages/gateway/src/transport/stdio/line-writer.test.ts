import { PassThrough, Writable } from "node:stream";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { LineWriter } from "./lines.ts";

const NEVER = new Promise<void>(() => {});

/** A stream that notes its writes, each of which completes when the test says so. */
function noted(options: { readonly highWaterMark?: number } = {}) {
  const chunks: Buffer[] = [];
  let finish: (() => void) | undefined;
  const stream = new Writable({
    ...options,
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      finish = done;
    },
  });
  return { stream, chunks, finish: () => finish?.() };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("LineWriter", () => {
  it("writes the lines of one turn at once, then those of the next", async () => {
    const { stream, chunks, finish } = noted();
    const writer = new LineWriter(stream, NEVER);
    void writer.write(Buffer.from("a"));
    await Promise.resolve();
    void writer.write(Buffer.from("b"));
    expect(chunks).toEqual([]);
    await turn();
    expect(chunks.map(String)).toEqual(["a\nb\n"]);
    void writer.write(Buffer.from("c"));
    await turn();
    finish();
    await turn();
    expect(chunks.map(String)).toEqual(["a\nb\n", "c\n"]);
  });

  it("does not wait while the stream has room", async () => {
    const { stream } = noted();
    const writer = new LineWriter(stream, NEVER);
    void writer.write(Buffer.from("a"));
    writer.flush();
    await writer.write(Buffer.from("b"));
  });

  it("joins a line that contains a carriage return or line feed", () => {
    const { stream, chunks } = noted();
    const writer = new LineWriter(stream, NEVER);
    const texts = ['{"a":\r{"b":1}\r\r}', '{"a":1}\r', "{}\r\r", "\r{}", '[\n{"b":1}\n]'];
    const lines = texts.map((line) => Buffer.from(line));
    for (const line of lines) void writer.write(line);
    writer.flush();
    expect(chunks.map(String)).toEqual(['{"a": {"b":1}  }\n{"a":1}\r\n{}  \n {}\n[ {"b":1} ]\n']);
    expect(lines.map(String)[0]).toContain("\r");
  });

  it("writes immediately on flush", () => {
    const { stream, chunks } = noted();
    const writer = new LineWriter(stream, NEVER);
    void writer.write(Buffer.from("a"));
    writer.flush();
    expect(chunks.map(String)).toEqual(["a\n"]);
  });

  it("keeps every byte in order, whatever the sizes", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(100_000), fc.boolean()), { maxLength: 20 }),
        async (lines) => {
          const stream = new PassThrough();
          const read: Buffer[] = [];
          stream.on("data", (chunk: Buffer) => read.push(chunk));
          const writer = new LineWriter(stream, NEVER);
          const expected: Buffer[] = [];
          for (const [n, [size, waits]] of lines.entries()) {
            const line = Buffer.alloc(size, 0x61 + n);
            expected.push(line, Buffer.from("\n"));
            const room = writer.write(line);
            if (waits) await room;
          }
          writer.flush();
          stream.end();
          await new Promise((resolve) => stream.once("end", resolve));
          expect(Buffer.concat(read).equals(Buffer.concat(expected))).toBe(true);
        },
      ),
      { numRuns: 30 },
    );
  });

  it("waits for a slow reader, until it reads or leaves", async () => {
    const { stream, finish } = noted({ highWaterMark: 1 });
    let leave: () => void = () => {};
    const gone = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const writer = new LineWriter(stream, gone);
    void writer.write(Buffer.from("a"));
    await turn();
    let room = false;
    void writer.write(Buffer.from("b")).then(() => {
      room = true;
    });
    await turn();
    expect(room).toBe(false);
    finish();
    await turn();
    finish();
    await turn();
    expect(room).toBe(true);
    void writer.write(Buffer.from("c"));
    await turn();
    const waiting = writer.write(Buffer.from("d"));
    leave();
    await waiting;
  });

  it("keeps no references from past waits", async () => {
    const { stream, finish } = noted({ highWaterMark: 1 });
    const gone = new Promise<void>(() => {});
    const then = vi.spyOn(gone, "then");
    const writer = new LineWriter(stream, gone);
    for (const line of ["a", "b", "c"]) {
      void writer.write(Buffer.from(line));
      writer.flush();
      const room = writer.write(Buffer.from(line));
      finish();
      await turn();
      finish();
      await room;
    }
    expect(then).toHaveBeenCalledTimes(1);
  });

  it("drops lines if the stream has closed", async () => {
    const { stream, chunks } = noted();
    const writer = new LineWriter(stream, NEVER);
    void writer.write(Buffer.from("a"));
    stream.destroy();
    await turn();
    await writer.write(Buffer.from("b"));
    await turn();
    expect(chunks).toEqual([]);
  });
});
