import { escapePointer } from "./pointer.ts";
import { decodeString, decodeStringStart } from "./string.ts";

const INITIAL = 256;
/** Storage for more levels than this is released after use. */
const KEPT = 16_384;
/** How many characters of a name are shown. */
const SHOWN = 4_096;

/**
 * The position of a scan. For every open container (level 1 is the outermost), it has the range between the quotes of
 * the current key, or `-1` and the current index. A pointer is only built for a report.
 */
export class ScanPath {
  starts: Int32Array = new Int32Array(INITIAL);
  ends: Int32Array = new Int32Array(INITIAL);

  grow(): void {
    const size = this.starts.length * 2;
    const starts = new Int32Array(size);
    starts.set(this.starts);
    this.starts = starts;
    const ends = new Int32Array(size);
    ends.set(this.ends);
    this.ends = ends;
  }

  /** Releases the memory that a very deep text took. */
  trim(): void {
    if (this.starts.length <= KEPT) return;
    this.starts = new Int32Array(INITIAL);
    this.ends = new Int32Array(INITIAL);
  }

  /** Returns the RFC 6901 pointer to the current member or element of the container at `level`. */
  pointer(bytes: Uint8Array, level: number): string {
    return this.join(level, (start, end) => decodeString(bytes, start, end));
  }

  /** Returns {@link pointer}, in which a name of more than 4,096 characters is cut and ends with `…`. */
  shownPointer(bytes: Uint8Array, level: number): string {
    return this.join(level, (start, end) => shown(bytes, start, end));
  }

  private join(level: number, nameOf: (start: number, end: number) => string): string {
    const parts: string[] = [];
    for (let at = 1; at <= level; at++) {
      const start = this.starts[at] as number;
      const end = this.ends[at] as number;
      parts.push(start < 0 ? `/${end}` : `/${escapePointer(nameOf(start, end))}`);
    }
    return parts.join("");
  }
}

function shown(bytes: Uint8Array, start: number, end: number): string {
  const beginning = decodeStringStart(bytes, start, end, SHOWN);
  return beginning === undefined ? decodeString(bytes, start, end) : `${beginning}…`;
}
