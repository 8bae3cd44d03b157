import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "vitest";
import { type ConfigWatch, watchConfig } from "./watch.ts";

let folder: string;
let watching: ConfigWatch | undefined;
const at = (...path: string[]): string => join(folder, ...path);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "watch-links-"));
  for (const version of ["1", "2"]) {
    mkdirSync(at(version));
    writeFileSync(at(version, "touchstone.json"), version);
  }
});
afterEach(() => {
  watching?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Watches a file; `next` resolves with the next change that is reported. */
function changesOf(file: string): { next: () => Promise<void> } {
  let told = 0;
  let taken = 0;
  let wake = (): void => {};
  watching = watchConfig(
    [file],
    () => {
      told += 1;
      wake();
    },
    (reason) => {
      throw new Error(reason);
    },
  );
  const next = async (): Promise<void> => {
    taken += 1;
    while (told < taken) await new Promise<void>((resolve) => (wake = resolve));
  };
  return { next };
}

function swap(link: string, target: string): void {
  symlinkSync(target, `${link}.new`);
  renameSync(`${link}.new`, link);
}

describe("a watched configuration reached through links", () => {
  it("notices that the link's target was written", async () => {
    mkdirSync(at("etc"));
    symlinkSync(join("..", "1", "touchstone.json"), at("etc", "touchstone.json"));
    const { next } = changesOf(at("etc", "touchstone.json"));
    writeFileSync(at("1", "touchstone.json"), "other");
    await next();
  });

  it("notices each time that a directory link above it is swapped", async () => {
    symlinkSync("1", at("current"));
    const { next } = changesOf(at("current", "touchstone.json"));
    for (const version of ["2", "1", "2"]) {
      swap(at("current"), version);
      await next();
    }
    writeFileSync(at("2", "touchstone.json"), "other");
    await next();
  });

  it("notices a mounted volume's swaps, whose older versions vanish", async () => {
    const file = at("touchstone.json");
    symlinkSync("1", at("..data"));
    symlinkSync(join("..data", "touchstone.json"), file);
    const { next } = changesOf(file);
    for (const version of ["3", "4"]) {
      mkdirSync(at(version));
      writeFileSync(at(version, "touchstone.json"), version);
      swap(at("..data"), version);
      await next();
    }
  });

  it("notices that its directory was recreated", async () => {
    const { next } = changesOf(at("1", "touchstone.json"));
    rmSync(at("1"), { recursive: true });
    await next();
    mkdirSync(at("1"));
    writeFileSync(at("1", "touchstone.json"), "again");
    await next();
    writeFileSync(at("1", "touchstone.json"), "and again");
    await next();
  });
});
