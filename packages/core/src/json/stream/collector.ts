import { Findings } from "../findings.ts";
import { MemberRecorder } from "../members.ts";
import { isLossyToken } from "../number.ts";
import type { DuplicateKey, JsonRange, JsonScan, LossyNumber, ScanOptions } from "../range.ts";
import { decodeUtf8 } from "../text.ts";
import { NameTracker, StreamPath } from "./names.ts";

const NO_MEMBERS: ReadonlyMap<string, JsonRange> = new Map();

/** Collects what a scan in chunks reports, as it walks through the text. Offsets are the text's. */
export class StreamCollector {
  keys = 0;
  /** Whether the text of a number is needed. */
  readonly wantsNumbers: boolean;
  private readonly wantsDuplicates: boolean;
  private readonly members: MemberRecorder | undefined;
  private readonly names: NameTracker | undefined;
  private readonly path = new StreamPath();
  private readonly duplicates: Findings<DuplicateKey> = new Findings();
  private readonly lossy: Findings<LossyNumber> = new Findings();

  constructor({ members, duplicates, numbers }: ScanOptions) {
    this.wantsNumbers = numbers === true;
    this.wantsDuplicates = duplicates === true;
    this.members = members === undefined ? undefined : new MemberRecorder(members);
    // Numbers inside a shadowed member do not count.
    this.names = this.wantsNumbers || this.wantsDuplicates ? new NameTracker() : undefined;
  }

  get level(): number {
    return this.path.level;
  }

  get inObject(): boolean {
    return this.path.inObject;
  }

  /** Whether the name of the next key is needed. */
  get wantsName(): boolean {
    return this.names !== undefined || this.members?.top === this.level;
  }

  open(isObject: boolean): void {
    if (isObject) {
      if (this.members?.top === this.level) this.members.open(this.level + 1);
      this.names?.enter();
    }
    this.path.open(isObject ? "" : 0);
  }

  /** The innermost container ends. */
  close(): void {
    if (this.inObject) {
      this.names?.leave();
      if (this.members?.top === this.level) this.members.top = this.level - 1;
    }
    this.path.close();
  }

  nextItem(): void {
    this.path.next();
  }

  /** A key whose name is needed stands between the quotes at `[start, end)`. */
  key(name: string, start: number, end: number): void {
    if (this.members?.top === this.level) this.members.named(name);
    if (this.names === undefined) return;
    this.path.name(name);
    const shadowed = this.names.key(name, start, end);
    if (shadowed === undefined) return;
    this.lossy.drop(shadowed.start, shadowed.end);
    if (!this.wantsDuplicates || !this.duplicates.hasRoom()) return;
    this.duplicates.add({ path: this.path.pointer(), offset: start - 1 });
  }

  /** The value of the last key starts. */
  value(offset: number): void {
    if (this.members?.top === this.level) this.members.value(offset);
  }

  /** A value in a container ended before `offset`. */
  end(offset: number): void {
    if (this.members?.top === this.level) this.members.end(offset);
  }

  /** A number stands at `[start, end)` of these bytes, and at `offset` of the text. */
  number(bytes: Uint8Array, start: number, end: number, offset: number): void {
    if (!isLossyToken(bytes, start, end) || !this.lossy.hasRoom()) return;
    const source = decodeUtf8(bytes, start, end);
    this.lossy.add({ path: this.path.pointer(), source, offset });
  }

  result(root: JsonRange, depth: number): JsonScan {
    return {
      members: this.members?.found ?? NO_MEMBERS,
      root,
      depth,
      keys: this.keys,
      duplicates: this.duplicates.list,
      duplicatesTruncated: this.duplicates.truncated,
      lossyNumbers: this.lossy.list,
      lossyNumbersTruncated: this.lossy.truncated,
    };
  }
}
