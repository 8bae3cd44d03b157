import { MEMBER_WORDS } from "@touchstone/core";
import type { Frame } from "../frame.ts";
import { FRAME_POINTERS } from "../plan.ts";

/** Objects of a message whose members are located, starting with the message itself. */
export const OBJECTS = ["", "/params", "/params/result", "/result", "/result/result"] as const;

/** By number of a located member: which of these objects contains it, and which one it is; -1 for none. */
const INSIDE = Int8Array.from(FRAME_POINTERS, (pointer) =>
  indexOf(pointer.slice(0, pointer.lastIndexOf("/"))),
);
const ITSELF = Int8Array.from(FRAME_POINTERS, indexOf);
/** By number: the bytes of a member besides its value: its name, two quotes, a colon and a comma. */
const AROUND = Uint8Array.from(
  FRAME_POINTERS,
  (pointer) => pointer.length - pointer.lastIndexOf("/") - 1 + 4,
);
/** Bytes of an object besides its members, as each member is counted with a comma. */
const BRACKETS = 1;
/** Shared by all messages, because it is needed for each of them. */
const left = new Float64Array(OBJECTS.length);

function indexOf(pointer: string): number {
  return (OBJECTS as readonly string[]).indexOf(pointer);
}

/**
 * Returns how many bytes of each of {@link OBJECTS} do not belong to a located member: other members, white space and
 * escapes in names. For an object that was not located it is at most 0. The returned array is valid until the next
 * call.
 */
export function unlocatedBytes({ scan: { root, members } }: Frame): ArrayLike<number> {
  const { words } = members;
  left.fill(0);
  left[0] = root.end - root.start - BRACKETS;
  for (let i = 0; i < words.length; i += MEMBER_WORDS) {
    const number = words[i] as number;
    const size = (words[i + 2] as number) - (words[i + 1] as number);
    const inside = INSIDE[number] as number;
    const itself = ITSELF[number] as number;
    if (inside >= 0) left[inside] = (left[inside] as number) - size - (AROUND[number] as number);
    if (itself > 0) left[itself] = (left[itself] as number) + size - BRACKETS;
  }
  return left;
}
