import { memberPointers } from "../located.ts";
import type { MemberPlan } from "../range.ts";
import { decodeUtf8, encodeUtf8 } from "../text.ts";
import type { ScannerExports } from "./exports.ts";

const rounded = (size: number): number => (size + 7) & ~7;

/** Allocates consecutive blocks in a region of the scanner's memory. */
export class MemoryRegion {
  private readonly from: number;
  private readonly end: number;
  private readonly forget: () => void;
  private top: number;

  /** @param forget called when all blocks are released, because there was no room for another one */
  constructor(from: number, end: number, forget: () => void) {
    this.from = from;
    this.end = end;
    this.forget = forget;
    this.top = from;
  }

  /** Returns the address of this many bytes, a multiple of eight; undefined if the region is too small for them. */
  take(size: number): number | undefined {
    const needed = rounded(size);
    if (needed > this.end - this.from) return undefined;
    if (this.top + needed > this.end) {
      this.forget();
      this.top = this.from;
    }
    const at = this.top;
    this.top += needed;
    return at;
  }
}

const ENTRY_WORDS = 4;

/** A plan in the scanner's memory. */
export interface PlacedPlan {
  /** The address of its node. */
  readonly node: number;
  /** The pointers of its members, by the number that the scanner reports. */
  readonly pointers: readonly string[];
}

interface Node {
  readonly members: readonly [name: Uint8Array, number: number, inside: Node | undefined][];
}

/** Limits the members of a plan while it is read; a plan that contains itself has no end. */
interface Bounds {
  members: number;
  readonly maxMembers: number;
  readonly levels: number;
}

function read(plan: MemberPlan, level: number, bounds: Bounds): Node | undefined {
  if (level >= bounds.levels) return undefined;
  const members: [Uint8Array, number, Node | undefined][] = [];
  for (const [name, planned] of Object.entries(plan)) {
    const bytes = encodeUtf8(name);
    // UTF-8 cannot express a lone surrogate, only an escape can.
    if (bounds.members === bounds.maxMembers || decodeUtf8(bytes) !== name) return undefined;
    // Numbers follow the order of memberPointers.
    const number = bounds.members++;
    const inside = planned === true ? undefined : read(planned, level + 1, bounds);
    if (planned !== true && inside === undefined) return undefined;
    members.push([bytes, number, inside]);
  }
  return { members };
}

/** Places plans in the memory. */
export class PlanStore {
  private readonly exports: ScannerExports;
  private placed = new WeakMap<MemberPlan, PlacedPlan | "refused">();
  private readonly region: MemoryRegion;
  /** The address of the next node of the plan being written. */
  private top = 0;
  /** The next text mostly uses the same plan as the last one. */
  private lastPlan: MemberPlan | undefined;
  private last: PlacedPlan | undefined;

  constructor(exports: ScannerExports) {
    this.exports = exports;
    this.region = new MemoryRegion(exports.PLANS.value, exports.PLANS_END.value, () => {
      // All plans were released from the memory. Each is placed again on its next use.
      this.placed = new WeakMap();
    });
  }

  /** Returns the plan, placed on its first use; undefined if only JavaScript can follow it. */
  get(plan: MemberPlan): PlacedPlan | undefined {
    if (plan === this.lastPlan) return this.last;
    let placed = this.placed.get(plan);
    if (placed === undefined) {
      placed = this.place(plan) ?? "refused";
      this.placed.set(plan, placed);
    }
    this.lastPlan = plan;
    this.last = placed === "refused" ? undefined : placed;
    return this.last;
  }

  private place(plan: MemberPlan): PlacedPlan | undefined {
    const { MAX_PLANNED, MAX_PLAN_LEVELS } = this.exports;
    const levels = MAX_PLAN_LEVELS.value - 2;
    const root = read(plan, 0, { members: 0, maxMembers: MAX_PLANNED.value, levels });
    if (root === undefined) return undefined;
    const at = this.region.take(sizeOf(root));
    if (at === undefined) return undefined;
    this.top = at;
    return { node: this.write(root), pointers: memberPointers(plan) };
  }

  /** Writes a node and everything inside it, and returns its address. */
  private write({ members }: Node): number {
    const { buffer } = this.exports.memory;
    const at = this.top;
    this.top += nodeSize(members.length);
    const words = new Uint32Array(buffer, at, 1 + members.length * ENTRY_WORDS);
    words[0] = members.length;
    for (const [index, [name, number, inside]] of members.entries()) {
      const nameAt = this.top;
      new Uint8Array(buffer, nameAt, name.length).set(name);
      this.top += aligned(name.length);
      const node = inside === undefined ? 0 : this.write(inside);
      words.set([nameAt, name.length, node, number], 1 + index * ENTRY_WORDS);
    }
    return at;
  }
}

const aligned = (size: number): number => (size + 3) & ~3;
const nodeSize = (members: number): number => 4 + members * ENTRY_WORDS * 4;

function sizeOf({ members }: Node): number {
  let size = nodeSize(members.length);
  for (const [name, , inside] of members) {
    size += aligned(name.length) + (inside === undefined ? 0 : sizeOf(inside));
  }
  return size;
}
