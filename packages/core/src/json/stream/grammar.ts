import { CLOSE_ARRAY, CLOSE_OBJECT, COLON, COMMA, OPEN_OBJECT, QUOTE } from "../bytes.ts";
import type { ScanError } from "../range.ts";
import { decodeString } from "../string.ts";
import { depthError, encodingError, expectedError, trailingError } from "../syntax.ts";
import { skipSpace } from "../walk.ts";
import type { StreamCollector } from "./collector.ts";
import { type State, WANTED } from "./state.ts";
import { CUT, FAULTY } from "./string.ts";
import { TokenReader, tokenKindOf } from "./token.ts";

/** How many bytes tell a byte order mark. */
const MARK_BYTES = 3;
const NOTHING = new Uint8Array(0);

/** Reads a text by the grammar of RFC 8259, chunk by chunk, and tells a collector what is there. */
export class StreamGrammar {
  /** Why the text is refused, as soon as that is known; what follows is not read. */
  error: ScanError | undefined;
  /** Where the value starts; undefined as long as nothing but white space came. */
  start: number | undefined;
  /** Behind the value, or where the fault is. */
  end = 0;
  depth = 0;
  private readonly found: StreamCollector;
  private readonly maxDepth: number;
  private readonly token = new TokenReader();
  /** The first bytes of a text that cannot be UTF-8 without a byte order mark. */
  private readonly head: number[] = [];
  private state: State = "value";
  private isKey = false;
  /** The offset of the chunk's first byte; between chunks, the number of bytes so far. */
  private base = 0;

  constructor(found: StreamCollector, maxDepth: number) {
    this.found = found;
    this.maxDepth = maxDepth;
  }

  read(chunk: Uint8Array): void {
    let i = 0;
    while (i < chunk.length && this.state !== "failed") i = this.step(chunk, i);
    this.base += chunk.length;
  }

  /** Refuses the text where it has been read to, unless it is refused already. */
  refuse(error: ScanError): void {
    if (this.state !== "failed") this.fail({ ...error, offset: this.base });
  }

  private fail(error: ScanError): void {
    this.state = "failed";
    this.error = error;
    this.end = error.offset;
  }

  /** The text ends. */
  endText(): void {
    if (this.state === "failed") return;
    if (this.state === "token") {
      const error = this.token.cutError(this.base);
      // Nothing but a number ends with the text.
      if (error === undefined) this.endToken(NOTHING, 0, 0);
      else this.fail(error);
    }
    const wanted = WANTED[this.state];
    if (wanted !== undefined) this.fail(expectedError(undefined, this.base, wanted));
    else if (this.state === "mark") this.failAtMark();
    else if (this.state === "behind" && this.found.level > 0) {
      this.failBehind(undefined, this.base);
    }
  }

  /** Reads on from a byte of the chunk, and gives the next one. */
  private step(chunk: Uint8Array, from: number): number {
    if (this.state === "token") return this.stepToken(chunk, from);
    if (this.state === "mark") return this.stepMark(chunk, from);
    const i = skipSpace(chunk, from, chunk.length);
    const byte = chunk[i];
    if (byte === undefined) return i;
    const offset = this.base + i;
    this.start ??= offset;
    if (offset === 0 && (byte === 0xef || byte >= 0xfe)) {
      this.state = "mark";
      return i;
    }
    switch (this.state) {
      case "behind":
        this.stepBehind(byte, offset);
        break;
      case "colon":
        if (byte === COLON) this.state = "value";
        else this.failWanted(byte, offset);
        break;
      case "first key":
      case "key":
        if (byte === CLOSE_OBJECT && this.state === "first key") this.close(offset);
        else this.beginKey(byte, offset);
        break;
      default:
        if (byte === CLOSE_ARRAY && this.state === "first item") this.close(offset);
        else return this.beginValue(byte, offset) ? i : i + 1;
    }
    return i + 1;
  }

  private beginKey(byte: number, offset: number): void {
    if (byte !== QUOTE) {
      this.failWanted(byte, offset);
      return;
    }
    this.isKey = true;
    this.state = "token";
    this.token.begin("string", byte, offset, this.found.wantsName);
  }

  private failWanted(byte: number, offset: number): void {
    this.fail(expectedError(byte, offset, WANTED[this.state] ?? "a value"));
  }

  private failBehind(byte: number | undefined, offset: number): void {
    const close = this.found.inObject ? "'}'" : "']'";
    this.fail(expectedError(byte, offset, `a comma or ${close}`));
  }

  /** Whether the value's first byte is to be read again, as a part of its token. */
  private beginValue(byte: number, offset: number): boolean {
    const { found } = this;
    if (found.inObject) found.value(offset);
    if ((byte | 0x20) === OPEN_OBJECT) {
      if (this.reach(found.level + 1, offset)) {
        const isObject = byte === OPEN_OBJECT;
        found.open(isObject);
        this.state = isObject ? "first key" : "first item";
      }
      return false;
    }
    const kind = tokenKindOf(byte);
    if (kind === undefined) {
      this.failWanted(byte, offset);
      return false;
    }
    this.isKey = false;
    this.state = "token";
    this.token.begin(kind, byte, offset, kind === "number" && found.wantsNumbers);
    return kind !== "string";
  }

  /** Counts the level; false, and failed, where it is too deep. */
  private reach(level: number, offset: number): boolean {
    if (level <= this.depth) return true;
    this.depth = level;
    if (!(level > this.maxDepth)) return true;
    this.fail(depthError(this.maxDepth, offset));
    return false;
  }

  private endValue(offset: number): void {
    this.state = "behind";
    if (this.found.level === 0) this.end = offset;
    else if (this.found.inObject) this.found.end(offset);
  }

  private close(offset: number): void {
    this.found.close();
    this.endValue(offset + 1);
  }

  private stepBehind(byte: number, offset: number): void {
    const { level, inObject } = this.found;
    if (level === 0) {
      this.error = trailingError(offset);
      this.state = "failed";
    } else if (byte === COMMA) {
      this.state = inObject ? "key" : "value";
      this.found.nextItem();
    } else if (byte === (inObject ? CLOSE_OBJECT : CLOSE_ARRAY)) this.close(offset);
    else this.failBehind(byte, offset);
  }

  private stepToken(chunk: Uint8Array, from: number): number {
    const { token } = this;
    const after = token.read(chunk, from, this.base);
    if (after === CUT) return chunk.length;
    if (after !== FAULTY) {
      this.endToken(chunk, from, after);
      return after;
    }
    if (token.error !== undefined) this.fail(token.error);
    return chunk.length;
  }

  /** The token that is read ends before `after` in the chunk. */
  private endToken(chunk: Uint8Array, from: number, after: number): void {
    const { token, found } = this;
    if (this.isKey) {
      found.keys++;
      if (found.wantsName) {
        const { bytes, start, end } = token.bytes(chunk, from, after - 1);
        found.key(decodeString(bytes, start, end), token.start + 1, this.base + after - 1);
      }
      this.state = "colon";
      return;
    }
    if (token.kind === "number" && found.wantsNumbers) {
      const { bytes, start, end } = token.bytes(chunk, from, after);
      found.number(bytes, start, end, token.start);
    }
    if (this.reach(found.level + 1, token.start)) this.endValue(this.base + after);
  }

  private stepMark(chunk: Uint8Array, from: number): number {
    this.head.push(chunk[from] as number);
    if (this.head.length === MARK_BYTES) this.failAtMark();
    return from + 1;
  }

  private failAtMark(): void {
    const head = Uint8Array.from(this.head);
    this.fail(encodingError(head) ?? expectedError(head[0], 0, "a value"));
  }
}
