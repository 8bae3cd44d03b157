import { describe, expect, it } from "vitest";
import { hashKey, KeyTracker } from "./keys.ts";
import { encodeUtf8 } from "./text.ts";

const hashOf = (text: string): number => {
  const bytes = encodeUtf8(text);
  return hashKey(bytes, 0, bytes.length);
};

/**
 * Returns 2 ** `blocks` different names with one hash, as an attacker makes them: each block has two texts that lead to
 * the same state of the hash, so every combination of these texts has the same hash.
 */
function colliding(blocks: number): readonly string[] {
  let names = [""];
  for (let block = 0; block < blocks; block += 1) {
    const before = names[0] ?? "";
    const seen = new Map<number, string>();
    for (let n = 0; ; n += 1) {
      const part = n.toString(36).padStart(4, "0");
      const hash = hashOf(before + part);
      const other = seen.get(hash);
      if (other !== undefined) {
        names = names.flatMap((name) => [name + other, name + part]);
        break;
      }
      seen.set(hash, part);
    }
  }
  return names;
}

/** Returns for each name whether an earlier one is the same, and whether the names were compared as texts at the end. */
function tracked(names: readonly string[], spelled: (name: string, at: number) => string) {
  const written = names.map((name, at) => spelled(name, at));
  const bytes = encodeUtf8(written.join(""));
  const tracker = new KeyTracker(bytes, true);
  tracker.enter();
  let start = 0;
  const found = written.map((name) => {
    const end = start + name.length;
    const isShadowing = tracker.key(start, end) !== undefined;
    // An inner object between two keys must not affect the result.
    tracker.enter();
    tracker.key(start, end);
    tracker.leave();
    start = end;
    return isShadowing;
  });
  const { open } = tracker as unknown as { open: readonly { names?: Map<string, number> }[] };
  return { found, areTexts: open[0]?.names !== undefined, taken: tracker.taken };
}

describe("names whose hashes were made to collide", () => {
  const names = colliding(12);
  const escaped = (name: string): string =>
    `\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}`;

  it("have one hash, and are all different", () => {
    expect(new Set(names.map(hashOf)).size).toBe(1);
    expect(new Set(names).size).toBe(4_096);
  });

  it.each([
    ["as they are", (name: string) => name],
    ["with escapes", (name: string, at: number) => (at % 3 === 0 ? escaped(name) : name)],
  ])("are distinguished, before and after they are compared as texts: %s", (_, spelled) => {
    const few = names.slice(0, 100);
    const twice = [...few, names[3] ?? "", ...names.slice(100), names[7] ?? "", names[4_000] ?? ""];
    const seen = new Set<string>();
    const wanted = twice.map((name) => seen.size === seen.add(name).size);
    expect(tracked(twice, spelled)).toEqual({ found: wanted, areTexts: true, taken: twice.length });
  });

  it("are compared by hashes while they are few", () => {
    expect(tracked(names.slice(0, 200), (name) => name)).toMatchObject({ areTexts: false });
  });
});
