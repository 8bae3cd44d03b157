import { StringDecoder } from "node:string_decoder";

/** What is found in a line: a text in it, or whatever a function says. */
export type Wanted = string | ((line: string) => boolean);

/** The lines that came so far, and a way to wait for one. */
export class LineLog {
  readonly lines: string[] = [];
  readonly #decoder = new StringDecoder("utf8");
  #rest = "";
  #ended = false;
  #waiting: (() => void)[] = [];

  /** Takes a piece of a stream; lines are kept as they came, without their line feed. */
  push(chunk: Uint8Array): void {
    const parts = `${this.#rest}${this.#decoder.write(Buffer.from(chunk))}`.split("\n");
    this.#rest = parts.pop() ?? "";
    for (const line of parts) this.add(line);
  }

  add(line: string): void {
    this.lines.push(line);
    this.#wake();
  }

  /** No line will follow: whoever still waits is told so. */
  end(): void {
    if (this.#rest !== "") this.add(this.#rest);
    this.#rest = "";
    this.#ended = true;
    this.#wake();
  }

  /** Gives the first line from `from` on that is needed, once it is there. */
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
