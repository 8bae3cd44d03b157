import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { long } from "../../core/src/testing/sample.ts";
import { turnsDuring } from "../../util/src/testing/turns.ts";
import { pinDiff } from "./approvals.ts";
import {
  MAX_HELD_DECLARATIONS,
  MAX_PINNED_TEXT,
  type PinnedText,
  type PinSet,
} from "./contracts/pin-store.ts";
import { openPlace } from "./place.ts";
import { LAYOUT_VERSION } from "./sql/migrations.ts";
import { closing, usePlaces } from "./testing/places.ts";

const item = (name: string, text: string, kind: PinnedText["kind"] = "tool"): PinnedText => ({
  kind,
  name,
  hash: `sha256:${createHash("sha256").update(text).digest("hex")}`,
  text,
});
const A = item("a", '{"name":"a"}');
const B = item("b", '{"name":"b"}');
const CHANGED = item("a", '{"description":"new","name":"a"}');
const ALICE = { state: "approved", caller: "alice" } as const;

describe.each(usePlaces())("approvals on %s", (_name, open) => {
  const place = (context: { skip: (reason: string) => never }) =>
    open((reason) => context.skip(reason));
  const statesOf = async (store: Awaited<ReturnType<Awaited<ReturnType<typeof open>>["store"]>>) =>
    ((await store.pins.read("s"))?.pins ?? [])
      .map(({ kind, name, state }) => [kind, name, state])
      .sort();

  it("are looked at without a change: no tables are made, nothing is brought up to date", async (context) => {
    const at = await place(context);
    const look = () => openPlace(at.at).pins();
    expect(await look()).toBeUndefined();
    if (at.kind === "PostgreSQL") {
      await expect(at.query("SELECT layout FROM version")).rejects.toThrow("does not exist");
    }
    const store = closing(await at.store());
    await store.pins.firstUse("s", "tool", [A, B]);
    const opened = await look();
    expect(await opened?.read("s")).toEqual(await store.pins.read("s"));
    expect(await opened?.servers()).toEqual(["s"]);
    expect(await opened?.texts("s", [A.hash])).toEqual(new Map([[A.hash, A.text]]));
    await opened?.close();
    await at.query(`UPDATE version SET layout = ${LAYOUT_VERSION - 1}`);
    await expect(look()).rejects.toThrow("are of an earlier release");
    const stated = (await at.query("SELECT layout FROM version")) as { layout: number | string }[];
    expect(stated.map(({ layout }) => Number(layout))).toEqual([LAYOUT_VERSION - 1]);
    await at.query("UPDATE version SET reader = 1000, layout = 1000");
    await expect(look()).rejects.toMatchObject({ code: "DATABASE_NEWER" });
  });

  it("approve the first definitions once, even if gateways see different ones", async (context) => {
    const at = await place(context);
    const stores = [closing(await at.store()), closing(await at.store())] as const;
    const won = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        stores[n % 2 === 0 ? 0 : 1].pins.firstUse("s", "tool", [n < 5 ? A : CHANGED, B]),
      ),
    );
    expect(won.filter(Boolean)).toHaveLength(1);
    const [first, second] = await Promise.all(stores.map(({ pins }) => pins.read("s")));
    expect(first).toEqual(second);
    expect(first?.pins).toHaveLength(2);
    expect(first?.firstUse).toEqual(new Set(["tool"]));
    // Each kind has a separate first use.
    expect(await stores[0].pins.firstUse("s", "instructions", [])).toBe(true);
    expect(await stores[1].pins.firstUse("s", "tool", [CHANGED])).toBe(false);
  });

  it("are read in several turns, by kind, name and age", async (context) => {
    const at = await place(context);
    const store = closing(await at.store());
    const names = Array.from({ length: 2_400 }, (_, n) => `t${n}`);
    const [first, ...later] = ["a", "b", "c"].map((version) =>
      names.map((name) => item(name, `{"name":"${name}","title":"${version}"}`)),
    );
    await store.pins.firstUse("s", "tool", first ?? []);
    for (const seen of later) await store.pins.saw("s", seen.slice(0, 40));
    let read: PinSet | undefined;
    const turns = await turnsDuring(async () => {
      read = await store.pins.read("s");
    });
    expect(read?.pins).toHaveLength(2_400 + 80);
    expect(turns).toBeGreaterThanOrEqual(2);
    const seen = (read?.pins ?? []).filter(({ name }) => name === "t7");
    expect(seen.map(({ hash }) => hash)).toEqual(
      [first, ...later].map((version) => version?.[7]?.hash),
    );
    expect(new Set(read?.pins.map(({ hash }) => hash)).size).toBe(2_480);
    const hashes = first?.map(({ hash }) => hash) ?? [];
    const texts = await turnsDuring(async () => {
      expect((await store.pins.texts("s", hashes)).size).toBe(2_400);
    });
    expect(texts).toBeGreaterThan(10);
  });

  it("hold what could be kept if the database fails in the middle of a list", async (context) => {
    const at = await place(context);
    const { pins } = closing(await at.store());
    const kept = Array.from({ length: 100 }, (_, n) => item(`t${n}`, `{"name":"t${n}"}`));
    // The table refuses this item, as a full database would.
    const refused = { ...A, hash: null as unknown as string };
    await expect(pins.saw("s", [refused])).rejects.toThrow();
    expect(await pins.saw("s", [...kept, refused])).toEqual(kept);
    expect((await pins.read("s"))?.pins).toHaveLength(100);
  });

  it("hold later definitions until approval, and block them after withdrawal", async (context) => {
    const at = await place(context);
    const [one, other] = [closing(await at.store()), closing(await at.store())];
    await one.pins.firstUse("s", "tool", [A, B]);
    const seen = await Promise.all(
      [one, other].map(({ pins }) => pins.saw("s", [CHANGED, CHANGED, A])),
    );
    expect(seen.flat().map(({ hash }) => hash)).toEqual(
      expect.arrayContaining([CHANGED.hash, CHANGED.hash].slice(0, seen.flat().length)),
    );
    expect(new Set(seen.map(({ length }) => length > 0))).toEqual(new Set([true, false]));
    const before = await other.pins.read("s");
    expect(await other.pins.read("s", before?.version)).toBeUndefined();
    expect(await one.pins.decide("s", [CHANGED, A], ALICE)).toEqual([CHANGED]);
    const after = await other.pins.read("s", before?.version);
    expect(after?.pins.find(({ hash }) => hash === CHANGED.hash)).toMatchObject({
      state: "approved",
      caller: "alice",
      decided: expect.any(String),
    });
    await other.pins.decide("s", [CHANGED], { state: "revoked", caller: undefined });
    expect(await statesOf(one)).toEqual([
      ["tool", "a", "approved"],
      ["tool", "a", "revoked"],
      ["tool", "b", "approved"],
    ]);
    // A declaration that was decided is not held again when it is seen again.
    expect(await one.pins.saw("s", [CHANGED])).toEqual([]);
    expect(await one.pins.servers()).toEqual(["s"]);
  });

  it("store texts by hash, and return none that was edited", async (context) => {
    const at = await place(context);
    const store = closing(await at.store());
    const long = item("long", JSON.stringify("x".repeat(MAX_PINNED_TEXT)));
    await store.pins.firstUse("s", "tool", [A]);
    await store.pins.saw("s", [CHANGED, long]);
    const hashes = [A.hash, CHANGED.hash, long.hash, "sha256:none"];
    const texts = await store.pins.texts("s", hashes);
    expect([...texts].sort()).toEqual([A, CHANGED].map(({ hash, text }) => [hash, text]).sort());
    const edited = at.kind === "SQLite" ? "x'6161'" : "'\\x6161'";
    await at.query(`UPDATE pins SET text = ${edited} WHERE hash = '${A.hash}'`);
    expect([...(await store.pins.texts("s", hashes)).keys()]).toEqual([CHANGED.hash]);
  });

  it("keep the locked definition before a change, with its text", async (context) => {
    const at = await place(context);
    const store = closing(await at.store());
    await store.pins.saw("s", [{ ...CHANGED, locked: A }, B]);
    const { pins = [] } = (await store.pins.read("s")) ?? {};
    expect(pins.map(({ name, locked }) => [name, locked])).toEqual([
      ["a", A.hash],
      ["b", null],
    ]);
    // Once it is approved, its next change is compared with it, and no longer with the locked declaration.
    await store.pins.decide("s", [CHANGED], ALICE);
    expect([...(await store.pins.texts("s", [A.hash]))]).toEqual([[A.hash, A.text]]);
    expect(await pinDiff(store.pins, "s", { hash: CHANGED.hash, previous: A.hash })).toBe(
      ' {\n+  "description": "new",\n   "name": "a"\n }\n',
    );
    const edited = at.kind === "SQLite" ? "x'6161'" : "'\\x6161'";
    await at.query(`UPDATE changed_schemas SET text = ${edited}`);
    expect((await store.pins.texts("s", [A.hash])).size).toBe(0);
  });

  it("accept any name that JSON can represent, and ignore unknown states", async (context) => {
    const at = await place(context);
    const store = closing(await at.store());
    const names = ["a\u0000b", '"a"', "\ud800", "é"];
    await store.pins.firstUse(
      "s",
      "tool",
      names.map((name) => item(name, "{}")),
    );
    const { pins = [] } = (await store.pins.read("s")) ?? {};
    expect(pins.map(({ name }) => name).sort()).toEqual(names.toSorted());
    await at.query("UPDATE pins SET state = 'else'");
    await at.query("UPDATE pin_versions SET version = version + 1");
    const { pins: after = [] } = (await store.pins.read("s")) ?? {};
    expect(new Set(after.map(({ state }) => state))).toEqual(new Set(["revoked"]));
  });

  it("forget the longest held definition, and never a decided one", {
    ...long,
    timeout: 30_000,
  }, async (context) => {
    const at = await place(context);
    let now = Date.UTC(2026, 0, 1);
    const store = closing(await at.store({ now: () => new Date(now) }));
    await store.pins.firstUse("s", "tool", [A]);
    now += 1;
    await store.pins.saw("s", [CHANGED]);
    await store.pins.decide("s", [CHANGED], { state: "revoked", caller: undefined });
    now += 1;
    await store.pins.saw("s", [B]);
    now += 1;
    const many = Array.from({ length: MAX_HELD_DECLARATIONS.items }, (_, n) => item(`t${n}`, "{}"));
    await store.pins.saw("s", many);
    const [row] = (await at.query("SELECT count(*) AS pins FROM pins")) as { pins: unknown }[];
    expect(Number(row?.pins)).toBe(MAX_HELD_DECLARATIONS.items + 2);
    expect(await store.pins.saw("s", [B, CHANGED])).toEqual([B]);
    const pruner = closing(await at.pruner(() => new Date(now + 10 * 365 * 86_400_000)));
    await pruner.prune({ maxAgeMs: 1, maxRecords: 1 });
    expect((await statesOf(store)).filter(([, name]) => name === "a")).toEqual([
      ["tool", "a", "approved"],
      ["tool", "a", "revoked"],
    ]);
  });
});
