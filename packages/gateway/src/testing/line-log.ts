import { StringDecoder } from "node:string_decoder";

/** What to find in a line: a text in it, or a line for which a function returns true. */
export type Wanted = string | ((line: string) => boolean);

/** The lines so far, and a way to wait for one. */
export class LineLog {
  readonly lines: string[] = [];
  readonly #decoder = new StringDecoder("utf8");
  #rest = "";
  #ended = false;
  #waiting: (() => void)[] = [];

  /** Takes a piece of a stream; lines are kept unchanged, without their line feed. */
  push(chunk: Uint8Array): void {
    const parts = `${this.#rest}${this.#decoder.write(Buffer.from(chunk))}`.split("\n");
    this.#rest = parts.pop() ?? "";
    for (const line of parts) this.add(line);
  }

  add(line: string): void {
    this.lines.push(line);
    this.#wake();
  }

  /** Notes that no line will follow: pending waits fail. */
  end(): void {
    if (this.#rest !== "") this.add(this.#rest);
    this.#rest = "";
    this.#ended = true;
    this.#wake();
  }

  /** Returns the first matching line from `from` on, once it exists. */
  async find(wanted: Wanted, from = 0): Promise<string> {
    const matches = typeof wanted === "string" ? (line: string) => line.includes(wanted) : wanted;
    for (let at = from; ; ) {
      for (; at < this.lines.length; at += 1) {
        const line = this.lines[at];
        if (line !== undefined && matches(line)) return line;
      }
      if (this.#ended) throw new Error(`no such line: ${wanted}; there is:\n${this.text}`);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  get text(): string {
    return this.lines.join("\n");
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
