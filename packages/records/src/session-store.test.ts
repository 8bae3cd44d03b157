import { describe, expect, it } from "vitest";
import { BOUNDS, session } from "./testing/filled.ts";
import { closing, usePlaces } from "./testing/places.ts";

const NOW = "2026-06-01T00:00:00.000Z";
const at = (minute: number): string => `2026-06-01T00:${String(minute).padStart(2, "0")}:00.000Z`;

describe.each(usePlaces())("sessions of the console on %s", (_, open) => {
  it("are known to every process that shares the store, and after a restart", async ({ skip }) => {
    const place = await open(skip);
    const [one, other] = [await place.store(), closing(await place.store())];
    const kept = session({ id: "1", caller: "vera", about: '{"a":"\\u0000"}' });
    expect(await one.consoleSessions.add(kept, BOUNDS, NOW)).toEqual([]);
    expect(await other.consoleSessions.find(kept.token)).toEqual(kept);
    await other.consoleSessions.use("1", at(7));
    expect(await one.consoleSessions.find(kept.token)).toEqual({ ...kept, seen: at(7) });
    await one.close();
    const again = closing(await place.store());
    expect(await again.consoleSessions.all()).toEqual([{ ...kept, seen: at(7) }]);
    expect(await again.consoleSessions.end("1")).toBe(true);
    expect(await other.consoleSessions.end("1")).toBe(false);
    expect(await other.consoleSessions.find(kept.token)).toBeUndefined();
    expect(await other.consoleSessions.find("unknown")).toBeUndefined();
  });

  it("are bounded for each owner and in all: those that were used least recently end", async ({
    skip,
  }) => {
    const place = await open(skip);
    const { consoleSessions: store } = closing(await place.store());
    const bounds = { ofOwner: 2, inAll: 4 };
    const add = (id: string, owner: string, minute: number) =>
      store.add(session({ id, owner, seen: at(minute) }), bounds, NOW);
    expect(await add("a1", "a", 1)).toEqual([]);
    expect(await add("a2", "a", 2)).toEqual([]);
    await store.use("a1", at(3));
    expect(await add("a3", "a", 4)).toEqual(["a2"]);
    expect(await add("b1", "b", 5)).toEqual([]);
    expect(await add("c1", "c", 6)).toEqual([]);
    expect(await add("d1", "d", 7)).toEqual(["a1"]);
    expect((await store.all()).map(({ id }) => id)).toEqual(["a3", "b1", "c1", "d1"]);
  });

  it("are all listed, the latest first, in several turns of the event loop", async ({ skip }) => {
    const place = await open(skip);
    const { consoleSessions: store } = closing(await place.store());
    const ids = Array.from({ length: 120 }, (_, n) => `s${(n * 37) % 120}`);
    for (const id of ids) {
      const created = at(Number(id.slice(1)) % 60);
      const bounds = { ofOwner: 200, inAll: 200 };
      await store.add(session({ id, created, seen: created }), bounds, NOW);
    }
    let turns = 0;
    let isListed = false;
    const count = (): void => {
      turns += 1;
      if (!isListed) setImmediate(count);
    };
    setImmediate(count);
    const listed = await store.all();
    isListed = true;
    expect(turns).toBeGreaterThan(1);
    expect(listed.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    const keys = listed.map(({ created, id }) => [created, id]);
    expect(keys).toEqual(
      keys.toSorted(([a = "", x = ""], [b = "", y = ""]) => {
        if (a !== b) return a < b ? 1 : -1;
        return x < y ? -1 : 1;
      }),
    );
  });

  it("go when they have expired, as soon as another begins or records are pruned", async ({
    skip,
  }) => {
    const place = await open(skip);
    const { consoleSessions: store } = closing(await place.store());
    const ids = async () => (await store.all()).map(({ id }) => id);
    await store.add(session({ id: "old", expires: NOW }), BOUNDS, at(0).replace("06", "05"));
    await store.add(session({ id: "soon", expires: at(9) }), BOUNDS, at(0).replace("06", "05"));
    expect(await ids()).toEqual(["old", "soon"]);
    await store.add(session({ id: "new" }), BOUNDS, NOW);
    expect(await ids()).toEqual(["new", "soon"]);
    const pruner = closing(await place.pruner(() => new Date(at(9))));
    await pruner.prune({});
    expect(await ids()).toEqual(["new"]);
  });

  it("of two that begin at once are both counted", async ({ skip }) => {
    const place = await open(skip);
    const stores = [closing(await place.store()), closing(await place.store())];
    const bounds = { ofOwner: 1, inAll: 100 };
    const ended = await Promise.all(
      stores.map(({ consoleSessions }, n) =>
        consoleSessions.add(session({ id: String(n) }), bounds, NOW),
      ),
    );
    expect(ended.flat()).toHaveLength(1);
    expect(await stores[0]?.consoleSessions.all()).toHaveLength(1);
  });
});
