import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const packages = fileURLToPath(new URL("../packages/", import.meta.url));

const IMPORT = /^(?:import|export)\b[^;"]*? from "(\.[^"]+)";/gm;

/** Which folders and files right below `src` import which others, with one import for each. */
function arrowsOf(name: string): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const src = join(packages, name, "src");
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter(
    (file) => /\.tsx?$/.test(file) && !/\.test\.|(?:^|[\\/])testing[\\/]/.test(file),
  );
  const arrows = new Map<string, Map<string, string>>();
  for (const file of files) {
    const [from = ""] = file.split(sep);
    for (const [, target = ""] of readFileSync(join(src, file), "utf8").matchAll(IMPORT)) {
      const [to = ""] = relative(src, join(src, dirname(file), target)).split(sep);
      if (to === from) continue;
      const below = arrows.get(from) ?? new Map<string, string>();
      arrows.set(from, below.set(to, `${file} imports ${target}`));
    }
  }
  return arrows;
}

/** The imports by which one comes back to where one was; none if there is no circle. */
function circleIn(arrows: ReadonlyMap<string, ReadonlyMap<string, string>>): readonly string[] {
  const done = new Set<string>();
  const walk = (
    room: string,
    way: readonly string[],
    told: readonly string[],
  ): readonly string[] => {
    if (way.includes(room)) return told.slice(way.indexOf(room));
    if (done.has(room)) return [];
    for (const [to, text] of arrows.get(room) ?? []) {
      const found = walk(to, [...way, room], [...told, text]);
      if (found.length > 0) return found;
    }
    done.add(room);
    return [];
  };
  for (const room of arrows.keys()) {
    const found = walk(room, [], []);
    if (found.length > 0) return found;
  }
  return [];
}

describe("the folders of a package", () => {
  it.each(readdirSync(packages))("do not import one another in a cycle: %s", (name) => {
    const arrows = arrowsOf(name);
    expect(arrows.size).toBeGreaterThan(3);
    expect(circleIn(arrows)).toEqual([]);
  });

  it("would be reported for a cycle", () => {
    const one = (to: string) => new Map([[to, `to ${to}`]]);
    const arrows = new Map([
      ["start", one("a")],
      ["a", one("b")],
      ["b", one("a")],
    ]);
    expect(circleIn(arrows)).toEqual(["to b", "to a"]);
  });
});

const map = readFileSync(fileURLToPath(new URL("../ARCHITECTURE.md", import.meta.url)), "utf8");

/** The folders right below a package's `src`, but those that only tests use. */
const roomsOf = (name: string): string[] =>
  readdirSync(join(packages, name, "src"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== "testing")
    .map((entry) => entry.name)
    // Git leaves the folders of files that are gone.
    .filter((room) => readdirSync(join(packages, name, "src", room)).length > 0);

describe("the map", () => {
  it.each(readdirSync(packages))("names every folder of a package: %s", (name) => {
    const row = map.split("\n").find((line) => line.startsWith(`| \`${name}\` |`));
    expect(row).toBeDefined();
    // The gateway has a table of its own.
    const text = name === "gateway" ? map : (row ?? "");
    expect(roomsOf(name).filter((room) => !text.includes(`\`${room}/\``))).toEqual([]);
  });

  it.each(readdirSync(packages).filter((name) => name !== "gateway"))(
    "names only folders that there are: %s",
    (name) => {
      const row = map.split("\n").find((line) => line.startsWith(`| \`${name}\` |`)) ?? "";
      const named = [...row.matchAll(/`([\w-]+)\/`/g)].map(([, room = ""]) => room);
      const there = readdirSync(join(packages, name, "src"), {
        recursive: true,
        withFileTypes: true,
      })
        .filter((entry) => entry.isDirectory())
        .map((entry) => entry.name);
      expect(named.filter((room) => !there.includes(room))).toEqual([]);
    },
  );

  it("has the order of the gateway's folders, in at most seven lines", () => {
    const drawn = /imports only from lines below[^`]*```text\n([^`]*)```/.exec(map)?.[1] ?? "";
    const floors = drawn
      .trim()
      .split("\n")
      .map((line) => line.split(/\s+/));
    expect(floors.length).toBeLessThanOrEqual(7);
    expect(floors.flat().toSorted()).toEqual(roomsOf("gateway").toSorted());
    const floorOf = (room: string): number => floors.findIndex((rooms) => rooms.includes(room));
    const upward = [...arrowsOf("gateway")]
      .filter(([from]) => floorOf(from) >= 0)
      .flatMap(([from, below]) =>
        [...below].flatMap(([to, text]) => (floorOf(to) > floorOf(from) ? [] : [text])),
      );
    expect(upward).toEqual([]);
  });
});
