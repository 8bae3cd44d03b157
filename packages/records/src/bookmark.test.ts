import { join } from "node:path";
import Database from "libsql";
import { expect, it } from "vitest";
import { openBookmark } from "./bookmark.ts";
import { openActivityStore } from "./open-sqlite.ts";
import { openPostgresStore } from "./postgres/open.ts";
import type { StorePlace } from "./store.ts";
import { useDatabases } from "./testing/databases.ts";
import { closing } from "./testing/places.ts";
import { tempDir } from "./testing/temp-dir.ts";

const database = useDatabases();
type Skip = (reason: string) => never;

const KINDS: readonly (readonly [string, (skip: Skip) => Promise<StorePlace>])[] = [
  [
    "SQLite",
    async () => {
      const dataDir = join(tempDir(), "data");
      closing(await openActivityStore({ dataDir, sync: "normal" }));
      return { dataDir };
    },
  ],
  [
    "PostgreSQL",
    async (skip) => {
      const url = await database(skip);
      closing(await openPostgresStore({ url }));
      return { url };
    },
  ],
];

it.for(KINDS)(
  "one process holds a bookmark, and the next resumes at it: %s",
  async ([, make], { skip }) => {
    const place = await make(skip);
    const [one, other] = [await openBookmark(place, "otlp"), await openBookmark(place, "otlp")];
    expect(await one.hold("start")).toBe("start");
    expect(await other.hold("later")).toBeUndefined();
    expect(await other.move("theirs")).toBe(false);
    expect(await one.move("here")).toBe(true);
    const another = await openBookmark(place, "another");
    expect(await another.hold("own")).toBe("own");
    await another.close();
    await one.close();
    expect(await other.hold("later")).toBe("here");
    await other.close();
  },
);

it.each(["name", "position", "holder"])(
  "invalid UTF-8 in %s does not stop a new holder",
  async (column) => {
    const dataDir = tempDir();
    const [one, other] = [
      await openBookmark({ dataDir }, "otlp"),
      await openBookmark({ dataDir }, "otlp"),
    ];
    await one.hold("start");
    const db = new Database(join(dataDir, "telemetry.db"));
    db.exec(`UPDATE bookmarks SET ${column} = CAST(x'ff41' AS TEXT)`);
    db.close();
    // If the name was changed, the bookmark does not exist anymore; if the holder was changed, another process holds
    // it.
    const held = { name: "again", position: "\u00ffA", holder: undefined }[column];
    expect(await one.hold("again")).toBe(held);
    expect(await one.move("here")).toBe(held !== undefined);
    expect(await other.move("here")).toBe(false);
    await one.close();
    await other.close();
  },
);
