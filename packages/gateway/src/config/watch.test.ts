import { pbkdf2 } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  watch,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { type ConfigWatch, watchConfig } from "./watch.ts";

let folder: string;
let file: string;
let watching: ConfigWatch | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "watch-"));
  file = join(folder, "touchstone.json");
  writeFileSync(file, "{}");
});
afterEach(() => {
  vi.useRealTimers();
  watching?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Resolves with the next change. */
function nextChange(): Promise<void> {
  return new Promise((resolve, reject) => {
    watching = watchConfig([file], resolve, (reason) => reject(new Error(reason)));
  });
}

describe("a watched configuration", () => {
  it("notices that it was written", async () => {
    const changed = nextChange();
    writeFileSync(file, '{"a":1}');
    await changed;
  });

  it("notices that it was replaced, as editors do", async () => {
    const changed = nextChange();
    writeFileSync(`${file}.new`, '{"a":1}');
    renameSync(`${file}.new`, file);
    await changed;
  });

  it("notices that the directory behind its link was swapped, as with mounted volumes", async () => {
    for (const version of ["1", "2"]) {
      mkdirSync(join(folder, version));
      writeFileSync(join(folder, version, "touchstone.json"), version);
    }
    rmSync(file);
    symlinkSync("1", join(folder, "data"));
    symlinkSync(join("data", "touchstone.json"), file);
    const changed = nextChange();
    symlinkSync("2", join(folder, "data.new"));
    renameSync(join(folder, "data.new"), join(folder, "data"));
    await changed;
  });

  it("ignores other files", async () => {
    let changes = 0;
    const first = new Promise<void>((resolve) => {
      watching = watchConfig(
        [file],
        () => {
          changes += 1;
          resolve();
        },
        () => {},
      );
    });
    writeFileSync(join(folder, "other.json"), "1");
    writeFileSync(file, "[]");
    await first;
    expect(changes).toBe(1);
  });

  it("notices a change even if other events never pause", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    let changes = 0;
    watching = watchConfig(
      [file],
      () => {
        changes += 1;
      },
      () => {},
    );
    const watcher = watch(folder);
    for (const written of [file, join(folder, "records")]) {
      const seen = once(watcher, "change");
      writeFileSync(written, "1");
      await seen;
      // By now, every change that will be reported has been reported.
      await new Promise((resolve) => setImmediate(resolve));
      vi.advanceTimersByTime(60);
    }
    watcher.close();
    expect(changes).toBe(1);
  });

  it("polls, and says why, if the directory cannot be watched", long, async () => {
    const reasons: string[] = [];
    let change: () => void = () => {};
    const changed = new Promise<void>((resolve) => {
      change = resolve;
    });
    chmodSync(folder, 0o311);
    // These keep all threads of libuv's pool busy, so that none can check a file yet.
    for (let busy = 0; busy < 8; busy += 1) pbkdf2("", "", 200_000, 64, "sha512", () => {});
    // Root has all permissions, so the test drops them.
    const isRoot = process.getuid?.() === 0;
    if (isRoot) process.seteuid?.(65_534);
    try {
      watching = watchConfig([file], change, (why) => reasons.push(why));
    } finally {
      if (isRoot) process.seteuid?.(0);
      chmodSync(folder, 0o755);
    }
    const told =
      /^touchstone\.json in .* is read every 2 s, because its changes are not reported: .*permission denied/;
    expect(reasons).toEqual([expect.stringMatching(told)]);
    writeFileSync(file, '{"a":1}');
    await changed;
  });

  it("notices a file that appears later, in a new directory", async () => {
    file = join(folder, "later", "touchstone.json");
    const changed = nextChange();
    mkdirSync(join(folder, "later"));
    writeFileSync(file, "{}");
    await changed;
  });
});
