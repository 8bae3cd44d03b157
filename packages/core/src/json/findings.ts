import { KeyTracker, type ShadowedMember } from "./keys.ts";
import { isLossyToken } from "./number.ts";
import type { ScanPath } from "./path.ts";
import type { DuplicateKey, LossyNumber } from "./range.ts";
import { decodeUtf8 } from "./text.ts";

/** Maximum number of duplicate keys listed, and of lossy numbers. */
const MAX_FINDINGS = 1000;
/**
 * Maximum total length of the pointers made for one kind, including removed ones, before the list ends. There is a
 * limit because making pointers takes time.
 */
const MAX_POINTER_CHARACTERS = 1_048_576;

/** A list of findings, limited in number and in the total length of its pointers. */
export class Findings<T extends { readonly path: string; readonly offset: number }> {
  readonly list: T[] = [];
  truncated = false;
  private characters = 0;

  /** Returns whether another finding fits; if not, records that the list is truncated. */
  hasRoom(): boolean {
    if (this.list.length < MAX_FINDINGS && this.characters < MAX_POINTER_CHARACTERS) return true;
    this.truncated = true;
    return false;
  }

  add(finding: T): void {
    this.list.push(finding);
    this.characters += finding.path.length;
  }

  /** Removes the findings in `[start, end)`; the list is sorted by offset. */
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

/** Finds the duplicate keys of a text. With `lossy`, also removes the numbers that they shadow. */
export class DuplicateFinder {
  readonly findings: Findings<DuplicateKey> = new Findings();
  private readonly keys: KeyTracker;
  private readonly bytes: Uint8Array;
  private readonly lossy: LossyFinder | undefined;

  /**
   * @param alone whether another instance may work before this one has finished
   */
  constructor(bytes: Uint8Array, lossy: LossyFinder | undefined, alone: boolean) {
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
   * Takes the key in `[start, end)`, the current one of `path` at `level`. Returns the number of keys in its object
   * so far.
   * @param hash of a long key, if it was made in steps
   */
  key(path: ScanPath, level: number, start: number, end: number, hash?: number): number {
    const shadowed: ShadowedMember | undefined = this.keys.key(start, end, hash);
    if (shadowed !== undefined) {
      this.lossy?.findings.drop(shadowed.start, shadowed.end);
      if (this.findings.hasRoom()) {
        this.findings.add({ path: path.shownPointer(this.bytes, level), offset: start - 1 });
      }
    }
    return this.keys.taken;
  }
}

/** Finds the numbers of a text that a double cannot hold. */
export class LossyFinder {
  readonly findings: Findings<LossyNumber> = new Findings();
  private readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** Takes the number in `[start, end)`, the current value of `path` at `level`. */
  number(path: ScanPath, level: number, start: number, end: number): void {
    if (!isLossyToken(this.bytes, start, end) || !this.findings.hasRoom()) return;
    const source = decodeUtf8(this.bytes, start, end);
    this.findings.add({ path: path.pointer(this.bytes, level), source, offset: start });
  }
}
