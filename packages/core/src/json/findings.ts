import { KeyTracker, type ShadowedMember } from "./keys.ts";
import { isLossyToken } from "./number.ts";
import type { ScanPath } from "./path.ts";
import type { DuplicateKey, LossyNumber } from "./range.ts";
import { decodeUtf8 } from "./text.ts";

/** At most this many duplicate keys, and this many lossy numbers, are listed. */
const MAX_FINDINGS = 1000;
/**
 * Nor are more listed once the pointers of one kind that were made, those taken out again too, are
 * this many characters long together: making them is what takes time.
 */
const MAX_POINTER_CHARACTERS = 1_048_576;

/** One list of findings, bounded in number and in the length of its pointers. */
export class Findings<T extends { readonly path: string; readonly offset: number }> {
  readonly list: T[] = [];
  truncated = false;
  private characters = 0;

  /** Whether another one is listed; otherwise it is only noted that there was one. */
  hasRoom(): boolean {
    if (this.list.length < MAX_FINDINGS && this.characters < MAX_POINTER_CHARACTERS) return true;
    this.truncated = true;
    return false;
  }

  add(finding: T): void {
    this.list.push(finding);
    this.characters += finding.path.length;
  }

  /** Takes out what is in `[start, end)`; the list is in order of its offsets. */
  drop(start: number, end: number): void {
    let low = 0;
    let high = this.list.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.list[middle] as T).offset < start) low = middle + 1;
      else high = middle;
    }
    let behind = low;
    while (behind < this.list.length && (this.list[behind] as T).offset < end) behind++;
    if (behind > low) this.list.splice(low, behind - low);
  }
}

/** The duplicate keys of a text. With `lossy`, also takes out the numbers that they shadow. */
export class DuplicateFinder {
  readonly findings: Findings<DuplicateKey> = new Findings();
  private readonly keys: KeyTracker;
  private readonly bytes: Uint8Array;
  private readonly lossy: LossyFinder | undefined;

  /** @param alone whether others may look for keys before this one is done */
  constructor(bytes: Uint8Array, lossy: LossyFinder | undefined, alone: boolean = false) {
    this.bytes = bytes;
    this.keys = new KeyTracker(bytes, alone);
    this.lossy = lossy;
  }

  enter(): void {
    this.keys.enter();
  }

  leave(): void {
    this.keys.leave();
  }

  /**
   * Takes the key in `[start, end)`, which is the current one of `path` at `level`. Returns how many keys its
   * object has so far.
   */
  key(path: ScanPath, level: number, start: number, end: number): number {
    const shadowed: ShadowedMember | undefined = this.keys.key(start, end);
    if (shadowed !== undefined) {
      this.lossy?.findings.drop(shadowed.start, shadowed.end);
      if (this.findings.hasRoom()) {
        this.findings.add({ path: path.pointer(this.bytes, level), offset: start - 1 });
      }
    }
    return this.keys.taken;
  }
}

/** The numbers of a text that a double cannot hold. */
export class LossyFinder {
  readonly findings: Findings<LossyNumber> = new Findings();
  private readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** Takes the number in `[start, end)`, which is the current value of `path` at `level`. */
  number(path: ScanPath, level: number, start: number, end: number): void {
    if (!isLossyToken(this.bytes, start, end) || !this.findings.hasRoom()) return;
    const source = decodeUtf8(this.bytes, start, end);
    this.findings.add({ path: path.pointer(this.bytes, level), source, offset: start });
  }
}
