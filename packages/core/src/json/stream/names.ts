import type { ShadowedMember } from "../keys.ts";
import { escapePointer } from "../pointer.ts";

/** Up to this many members an object's names are compared one by one; beyond, by a map. */
const FEW = 8;

interface Member {
  readonly name: string;
  /** Where its key ends, between the quotes. */
  end: number;
  /** Where the key of the member behind it starts. */
  next: number;
}

interface OpenObject {
  readonly few: Member[];
  /** All members, once there are more than a few. */
  all?: Map<string, Member>;
  current: Member | undefined;
}

/** The names in the open objects, of a text that cannot be looked at again. */
export class NameTracker {
  private readonly open: OpenObject[] = [];

  enter(): void {
    this.open.push({ few: [], current: undefined });
  }

  leave(): void {
    this.open.pop();
  }

  /**
   * Takes the next key of the innermost open object and the range between its quotes.
   * @returns the earlier member of the same name, or undefined where this is the first
   */
  key(name: string, start: number, end: number): ShadowedMember | undefined {
    const object = this.open[this.open.length - 1];
    if (object === undefined) return undefined;
    const { few, all, current } = object;
    if (current !== undefined) current.next = start;
    const earlier = all === undefined ? few.find((member) => member.name === name) : all.get(name);
    if (earlier !== undefined) {
      const shadowed = { start: earlier.end, end: earlier.next };
      earlier.end = end;
      object.current = earlier;
      return shadowed;
    }
    const member = { name, end, next: 0 };
    object.current = member;
    if (all !== undefined) all.set(name, member);
    else if (few.push(member) > FEW) object.all = new Map(few.map((each) => [each.name, each]));
    return undefined;
  }
}

/** Where the scan stands: for every open container the name or the index of what is read. */
export class StreamPath {
  private readonly steps: (string | number)[] = [];

  get level(): number {
    return this.steps.length;
  }

  get inObject(): boolean {
    return typeof this.steps[this.steps.length - 1] === "string";
  }

  open(step: "" | 0): void {
    this.steps.push(step);
  }

  close(): void {
    this.steps.pop();
  }

  /** The name of the member, or "" where nobody asks for it. */
  name(name: string): void {
    this.steps[this.steps.length - 1] = name;
  }

  /** On to the next item of an array. */
  next(): void {
    const last = this.steps.length - 1;
    const step = this.steps[last];
    if (typeof step === "number") this.steps[last] = step + 1;
  }

  /** The RFC 6901 pointer to what is read. */
  pointer(): string {
    const tokens = this.steps.map((step) =>
      typeof step === "number" ? step : escapePointer(step),
    );
    return tokens.map((token) => `/${token}`).join("");
  }
}
