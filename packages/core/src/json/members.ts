import { joinPointer } from "./pointer.ts";
import type { JsonRange, MemberPlan } from "./range.ts";
import { hasEscape, stringEquals } from "./string.ts";
import { decodeUtf8, encodeUtf8 } from "./text.ts";

interface PlannedMember {
  readonly name: string;
  /** Undefined if the name contains a lone surrogate, which only an escape can express, not UTF-8. */
  readonly nameBytes: Uint8Array | undefined;
  readonly pointer: string;
  readonly plan: MemberPlan | true;
  /** The members planned inside it; created when its first object is found. */
  inside?: readonly PlannedMember[];
}

function compile(plan: MemberPlan, parent: string): readonly PlannedMember[] {
  return Object.entries(plan).map(([name, inside]) => {
    const bytes = encodeUtf8(name);
    const nameBytes = decodeUtf8(bytes) === name ? bytes : undefined;
    return { name, nameBytes, pointer: joinPointer(parent, name), plan: inside };
  });
}

const roots = new WeakMap<MemberPlan, readonly PlannedMember[]>();

function compileRoot(plan: MemberPlan): readonly PlannedMember[] {
  let members = roots.get(plan);
  if (members === undefined) {
    members = compile(plan, "");
    roots.set(plan, members);
  }
  return members;
}

function sameBytes(bytes: Uint8Array, start: number, end: number, name: Uint8Array): boolean {
  if (end - start !== name.length) return false;
  for (let i = 0; i < name.length; i++) if (bytes[start + i] !== name[i]) return false;
  return true;
}

/** A key with more bytes is compared with names only if one of them is long enough. An escaped character has six. */
const SHORT_KEY = 1_024;

function find(
  planned: readonly PlannedMember[],
  bytes: Uint8Array,
  start: number,
  end: number,
): PlannedMember | undefined {
  if (end - start > SHORT_KEY && planned.every(({ name }) => end - start > 6 * name.length)) {
    return undefined;
  }
  if (hasEscape(bytes, start, end)) {
    return planned.find((member) => stringEquals(bytes, start, end, member.name));
  }
  for (const member of planned) {
    const { nameBytes } = member;
    if (nameBytes !== undefined && sameBytes(bytes, start, end, nameBytes)) return member;
  }
  return undefined;
}

/** Collects the ranges of planned members while a scan walks the text. */
export class MemberRecorder {
  readonly found: Map<string, JsonRange> = new Map();
  /** The deepest open level with planned members. All levels above it have planned members too. */
  top = 0;
  private readonly planned: (readonly PlannedMember[])[] = [];
  private readonly plans: MemberPlan[] = [];
  private readonly current: (PlannedMember | undefined)[] = [];
  private readonly starts: number[] = [];
  private readonly root: MemberPlan;

  constructor(plan: MemberPlan) {
    this.root = plan;
  }

  /**
   * Handles an object that opens at `level`, one below `top`.
   * @returns whether it has planned members; if so, `level` is the new `top`
   */
  open(level: number): boolean {
    if (level === 1) {
      this.planned[1] = compileRoot(this.root);
      this.plans[1] = this.root;
    } else {
      const member = this.current[level - 1];
      if (member === undefined || member.plan === true) return false;
      member.inside ??= compile(member.plan, member.pointer);
      this.planned[level] = member.inside;
      this.plans[level] = member.plan;
    }
    this.current[level] = undefined;
    this.top = level;
    return true;
  }

  /** Returns whether members are planned in a value that begins inside the container at `level`. */
  entersAt(level: number): boolean {
    if (level !== this.top) return false;
    const plan = this.current[level]?.plan;
    return level === 0 || (plan !== undefined && plan !== true);
  }

  /** Returns the plan for the object at level `top`. */
  get plan(): MemberPlan {
    return this.plans[this.top] as MemberPlan;
  }

  /** Handles a key in the object at level `top`. */
  key(bytes: Uint8Array, start: number, end: number): void {
    this.take(find(this.planned[this.top] ?? [], bytes, start, end));
  }

  /** Does the same as {@link key}, for a name instead of bytes. */
  named(name: string): void {
    this.take(this.planned[this.top]?.find((member) => member.name === name));
  }

  private take(member: PlannedMember | undefined): void {
    this.current[this.top] = member;
    if (member !== undefined && this.found.delete(member.pointer)) this.forget(member);
  }

  /** Removes what was found inside a member. */
  private forget({ inside = [] }: PlannedMember): void {
    for (const member of inside) if (this.found.delete(member.pointer)) this.forget(member);
  }

  /** Handles the start of the value for the last {@link key}, at `offset`. */
  value(offset: number): void {
    this.starts[this.top] = offset;
  }

  /** Handles the end of that value, before `offset`. */
  end(offset: number): void {
    const member = this.current[this.top];
    if (member === undefined) return;
    this.found.set(member.pointer, { start: this.starts[this.top] ?? 0, end: offset });
    this.current[this.top] = undefined;
  }
}
