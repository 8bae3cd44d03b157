import { SchemaCache } from "@touchstone/core/advanced";
import { describe, expect, it } from "vitest";
import { long, split } from "../../core/src/testing/sample.ts";
import { ToolContract } from "../../gateway/src/contracts/contract.ts";
import {
  LIST_USE_PRECISION_MS,
  MAX_CHANGED_SCHEMAS,
  MAX_CHANGED_TEXT,
  MAX_KEPT_LISTS,
  UNUSED_LIST_MS,
} from "./contracts/store.ts";
import { closing, type StoreUnderTest, usePlaces } from "./testing/places.ts";

const OWN = { server: "s", revision: "r", authorization: "" };
const cache = new SchemaCache();
const tool = (name: string, input: string, output?: string): ToolContract =>
  new ToolContract(
    {
      name,
      inputSchema: Buffer.from(input),
      ...(output === undefined ? {} : { outputSchema: Buffer.from(output) }),
    },
    cache,
  );
const LIST = [tool("a", "{}", "{ }"), tool("b", "{}"), tool("c", '{"type":"object"}', "{}")];
const clientOf = (number: number) => ({ ...OWN, authorization: `sha256:${number}` });

async function countsOf(place: StoreUnderTest) {
  const count = (table: string) => `(SELECT count(*) FROM ${table}) AS ${table}`;
  const tables = ["list_scopes", "lists", "list_tools", "schemas"].map(count).join(", ");
  const [row] = (await place.query(`SELECT ${tables}`)) as Record<string, number | string>[];
  return Object.values(row ?? {}).map(Number);
}

for (const [places, options] of split(usePlaces(), 1))
  describe.each(places)("contracts stored on %s", options, (_name, open) => {
    const place = (context: { skip: (reason: string) => never }) =>
      open((reason) => context.skip(reason));

    it("are stored, and their changes reported", async (context) => {
      const at = await place(context);
      const first = closing(await at.store());
      expect(await first.contracts.replace(OWN, [tool("a", "{}"), tool("b", "{}")])).toEqual([]);
      const other = { ...OWN, server: "t" };
      await first.contracts.replace(other, [tool("c", "{}")]);
      await first.contracts.replace({ ...OWN, revision: "q" }, [tool("d", "{}")]);
      expect(await first.contracts.toolNames("s")).toEqual(new Set(["a", "b", "d"]));
      expect(await first.contracts.toolNames("none")).toEqual(new Set());
      const second = closing(await at.store());
      const found = await Promise.all(
        [first, second].map((store) => store.contracts.replace(OWN, [tool("a", "true")])),
      );
      expect(found.flat().map(({ tool: name, kind }) => [name, kind])).toEqual([
        ["a", "input"],
        ["b", "removed"],
      ]);
    });

    it("are unknown if somebody else made the server refer to another list", async (context) => {
      const at = await place(context);
      const store = closing(await at.store());
      const other = { ...OWN, server: "t" };
      await store.contracts.replace(OWN, [tool("a", '{"type":"object"}')]);
      await store.contracts.replace(other, [tool("a", "true")]);
      const kept = (await store.contracts.tool(OWN, "a"))?.declaration.inputSchema ?? [];
      expect(Buffer.from(kept).toString()).toBe('{"type":"object"}');
      await at.query(
        "UPDATE list_scopes SET list = (SELECT list FROM list_scopes WHERE server = 't') WHERE server = 's' RETURNING list",
      );
      for (const one of [store, closing(await at.store())]) {
        expect(await one.contracts.tool(OWN, "a")).toBeUndefined();
        expect(await one.contracts.tool(clientOf(1), "a")).toBeUndefined();
        expect(await one.contracts.tool(other, "a")).toBeDefined();
      }
      // The next list of the server is kept, even if it is the older one.
      await store.contracts.replace(OWN, [tool("a", "true")], true);
      expect(await store.contracts.tool(OWN, "a")).toBeDefined();
    });

    it("stay at the newest list if a connection repeats an older one", async (context) => {
      const store = closing(await (await place(context)).store());
      const [older, newer] = [[tool("a", "{}")], [tool("a", "{}"), tool("b", "{}")]];
      expect(await store.contracts.replace(OWN, older, true)).toEqual([]);
      expect(await store.contracts.replace(OWN, newer)).toMatchObject([
        { tool: "b", kind: "added" },
      ]);
      for (const list of [older, newer, older])
        expect(await store.contracts.replace(OWN, list, true)).toEqual([]);
      expect(await store.contracts.toolNames("s")).toEqual(new Set(["a", "b"]));
      // Another connection can change it.
      expect(await store.contracts.replace(OWN, older)).toMatchObject([
        { tool: "b", kind: "removed" },
      ]);
    });

    it("can belong to tools with any name that JSON can represent", async (context) => {
      const store = closing(await (await place(context)).store());
      const names = [
        "a\u0000b",
        "a",
        '"a"',
        '"',
        "\ud800",
        "\ud801",
        "\ufffd",
        "e\u0301",
        "\u00e9",
      ];
      const tools = names.map((name) => tool(name, "{}"));
      for (let i = 0; i < 2; i++) expect(await store.contracts.replace(OWN, tools)).toEqual([]);
      expect(await store.contracts.toolNames("s")).toEqual(new Set(names));
      const gone = await store.contracts.replace(OWN, tools.slice(1));
      expect(gone).toMatchObject([{ tool: "a\u0000b", kind: "removed" }]);
      expect(await store.contracts.toolNames("s")).toEqual(new Set(names.slice(1)));
    });

    it("store a list and a schema once, however many clients receive them", async (context) => {
      const at = await place(context);
      const stores = [closing(await at.store()), closing(await at.store())];
      await Promise.all(
        Array.from({ length: 20 }, (_, client) =>
          stores[client % 2]?.contracts.replace(
            clientOf(client),
            client < 10 ? LIST : LIST.toReversed(),
          ),
        ),
      );
      expect(await countsOf(at)).toEqual([20, 1, 3, 3]);
      await stores[0]?.contracts.replace(clientOf(3), [...LIST, tool("d", "true")]);
      expect(await countsOf(at)).toEqual([20, 2, 7, 4]);
      await stores[1]?.contracts.replace(clientOf(3), LIST);
      expect(await countsOf(at)).toEqual([20, 1, 3, 3]);
      const [row] = await at.query(`SELECT text FROM schemas WHERE hash = '${LIST[2]?.inputHash}'`);
      expect(Buffer.from((row as { text: Buffer }).text).toString()).toBe('{"type":"object"}');
    });

    it("keep the earlier versions of a changed schema as long as lists are kept", async (context) => {
      const at = await place(context);
      let now = Date.UTC(2026, 0, 1);
      const store = closing(await at.store({ now: () => new Date(now) }));
      const versions = [
        tool("t", '{"a":1}', "{}"),
        tool("t", '{"a":2}', '{"b":1}'),
        tool("t", `{"long":"${"x".repeat(MAX_CHANGED_TEXT)}"}`, '{"b":1}'),
      ];
      const [old, next, long] = versions;
      for (const version of versions) await store.contracts.replace(OWN, [version]);
      const asked = [old?.inputHash, old?.outputHash, next?.inputHash, long?.inputHash, "sha256:0"];
      const hashes = asked.map((hash) => hash ?? "");
      const reader = closing(await at.reader());
      const known = async (server = "s") => {
        const texts = await reader.declaredTexts(server, hashes);
        return hashes.map((hash) => texts.get(hash)?.text);
      };
      expect(await known()).toEqual(['{"a":1}', "{}", '{"a":2}', undefined, undefined]);
      // Some of these texts are also in another list that is in force, which must not count for this server.
      await store.contracts.replace({ ...OWN, server: "other" }, [tool("u", '{"a":1}')]);
      expect(await known("other")).toEqual(['{"a":1}', ...Array(4).fill(undefined)]);
      await at.query(`UPDATE changed_schemas SET text = schemas.text FROM schemas
      WHERE changed_schemas.hash = '${next?.inputHash}' AND schemas.hash = '${old?.inputHash}'`);
      expect((await known())[2]).toBeUndefined();
      now += UNUSED_LIST_MS + 1;
      await closing(await at.pruner(() => new Date(now))).prune({});
      expect(await known()).toEqual(Array(5).fill(undefined));
    });

    it("keep the latest of many changed schemas", async (context) => {
      const at = await place(context);
      const store = closing(await at.store());
      const list = (from: number) =>
        Array.from({ length: 1_500 }, (_, n) => tool(`t${n}`, `{"minProperties":${from + n}}`));
      await store.contracts.replace(OWN, list(0));
      const changes = await store.contracts.replace(OWN, list(10_000));
      expect(new Set(changes.map(({ tool: name }) => name)).size).toBe(1_500);
      const [row] = await at.query("SELECT count(*) AS rows FROM changed_schemas");
      expect(Number((row as { rows: number }).rows)).toBe(MAX_CHANGED_SCHEMAS.items);
    });

    it("report all changes of a list with more than are kept", async (context) => {
      const at = await place(context);
      const store = closing(await at.store());
      const list = Array.from({ length: MAX_CHANGED_SCHEMAS.items + 100 }, (_, n) =>
        tool(`t${n}`, "{}"),
      );
      await store.contracts.replace(OWN, []);
      expect(await store.contracts.replace(OWN, list)).toHaveLength(list.length);
      const [row] = await at.query("SELECT count(*) AS rows FROM list_changes");
      expect(Number((row as { rows: number }).rows)).toBe(MAX_CHANGED_SCHEMAS.items);
    });

    it("are recognized in any order, and by another process", async (context) => {
      const at = await place(context);
      const first = await at.store();
      expect(await first.contracts.replace(OWN, LIST)).toEqual([]);
      await first.close();
      const second = closing(await at.store());
      expect(await second.contracts.replace(OWN, LIST.toReversed())).toEqual([]);
      expect(await second.contracts.replace(OWN, LIST.slice(1))).toMatchObject([
        { tool: "a", kind: "removed" },
      ]);
    });

    it("are dropped when unused for long, and kept while in use", async (context) => {
      const at = await place(context);
      let now = Date.UTC(2026, 0, 1);
      const store = closing(await at.store({ now: () => new Date(now) }));
      await store.contracts.replace(clientOf(1), LIST);
      await store.contracts.replace(clientOf(2), LIST.slice(1));
      await store.contracts.replace(clientOf(3), LIST.slice(2));
      now += UNUSED_LIST_MS / 2;
      await store.contracts.used(clientOf(1));
      await store.contracts.replace(clientOf(2), LIST.slice(1));
      await store.contracts.used(clientOf(4));
      now += UNUSED_LIST_MS / 2;
      const pruner = closing(await at.pruner(() => new Date(now)));
      await pruner.prune({});
      expect(await countsOf(at)).toEqual([3, 3, 6, 3]);
      now += LIST_USE_PRECISION_MS;
      await pruner.prune({});
      expect(await countsOf(at)).toEqual([2, 2, 5, 3]);
      expect(await store.contracts.replace(clientOf(1), [])).toHaveLength(3);
      // Since the second client's list was kept, the first client's list already had these changes.
      expect(await store.contracts.replace(clientOf(2), [])).toEqual([]);
      // This is the first list of a client that was forgotten.
      expect(await store.contracts.replace(clientOf(3), [])).toEqual([]);
      expect(await countsOf(at)).toEqual([3, 1, 0, 0]);
    });

    it("are kept, however long unused, while there is a record of that time", async (context) => {
      const at = await place(context);
      let now = Date.UTC(2026, 0, 1);
      const store = closing(await at.store({ now: () => new Date(now) }));
      await store.contracts.replace(clientOf(1), LIST);
      const [before] = LIST;
      await store.contracts.replace(clientOf(1), LIST.slice(1));
      await store.append([
        { type: "tool_call", source: "gateway", server: "s", tool: "a", status: "success" },
      ]);
      // A gateway notes the last use only to the hour.
      const used = new Date(now - LIST_USE_PRECISION_MS + 1).toISOString();
      await at.query(`UPDATE list_scopes SET used = '${used}' RETURNING used`);
      now += 3 * UNUSED_LIST_MS;
      const reader = closing(await at.reader());
      const pruner = closing(await at.pruner(() => new Date(now)));
      const kept = async () => {
        const hash = before?.outputHash ?? "";
        const texts = await reader.declaredTexts("s", [hash]);
        return [...(await countsOf(at)), texts.has(hash)];
      };
      const counts = await kept();
      expect(counts.at(-1)).toBe(true);
      await pruner.prune({});
      expect(await kept()).toEqual(counts);
      await pruner.prune({ maxRecords: 0 });
      expect(await kept()).toEqual([0, 0, 0, 0, false]);
    });

    it("keep the most recently used lists of a server", {
      ...long,
      timeout: 60_000,
    }, async (context) => {
      const at = await place(context);
      let now = Date.UTC(2026, 0, 1);
      const store = closing(await at.store({ now: () => new Date(now) }));
      const elsewhere = { ...OWN, server: "other" };
      await store.contracts.replace(elsewhere, LIST);
      await store.contracts.replace(clientOf(0), [tool("only here", '"once"')]);
      for (let client = 1; client < MAX_KEPT_LISTS; client += 1) {
        now += 1;
        await store.contracts.replace(clientOf(client), LIST);
      }
      expect(await countsOf(at)).toEqual([MAX_KEPT_LISTS + 1, 2, 4, 4]);
      now += LIST_USE_PRECISION_MS;
      await store.contracts.used(clientOf(1));
      now += 1;
      await store.contracts.replace(clientOf(MAX_KEPT_LISTS), LIST);
      expect(await countsOf(at)).toEqual([MAX_KEPT_LISTS + 1, 1, 3, 3]);
      now += 1;
      await store.contracts.replace(clientOf(MAX_KEPT_LISTS + 1), LIST);
      // The lists of clients 0 and 2 were dropped.
      expect(await store.contracts.replace(clientOf(1), [])).toHaveLength(3);
      expect(await store.contracts.replace(clientOf(2), [])).toEqual([]);
      expect(await store.contracts.replace(elsewhere, [])).toHaveLength(3);
    });

    it("are found in the list of their scope, or in all lists if they agree", async (context) => {
      const at = await place(context);
      const store = closing(await at.store());
      const found = async (scope: typeof OWN, name: string) => {
        const kept = await store.contracts.tool(scope, name);
        if (kept === undefined) return undefined;
        const { inputSchema, outputSchema } = kept.declaration;
        const text = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString();
        return [kept.declaration.name, kept.exact, text(inputSchema), text(outputSchema)];
      };
      expect(await found(OWN, "a")).toBeUndefined();
      await store.contracts.replace(clientOf(1), [
        ...LIST,
        tool("only 1", "{}"),
        tool('"', "true"),
      ]);
      await store.contracts.replace(clientOf(2), [
        ...[
          tool("a", "{}", "{ }"),
          tool("b", "true"),
          tool("c", '{"type":"object"}'),
          tool('"', "true"),
        ],
      ]);
      // Lists of another revision or another server do not count.
      await store.contracts.replace({ ...OWN, revision: "q" }, [tool("a", "true")]);
      await store.contracts.replace({ ...OWN, server: "t" }, [tool("a", "false")]);
      expect(await found(clientOf(1), "b")).toEqual(["b", true, "{}", undefined]);
      expect(await found(clientOf(2), "b")).toEqual(["b", true, "true", undefined]);
      expect(await found(clientOf(2), "only 1")).toBeUndefined();
      // A refreshed token.
      expect(await found(clientOf(3), "a")).toEqual(["a", false, "{}", "{ }"]);
      expect(await found(clientOf(3), '"')).toEqual(['"', false, "true", undefined]);
      for (const name of ["b", "c", "only 1", "none"]) {
        expect([name, await found(clientOf(3), name)]).toEqual([name, undefined]);
      }
      await store.contracts.replace(clientOf(4), []);
      expect(await found(clientOf(3), "a")).toBeUndefined();
      expect(await found(clientOf(4), "a")).toBeUndefined();
    });

    it("are ignored if a schema's text does not match its hash", async (context) => {
      const at = await place(context);
      const store = closing(await at.store());
      await store.contracts.replace(OWN, LIST);
      const [{ inputHash } = {}] = LIST.slice(2);
      const other = Buffer.from('{"type":"string"}').toString("hex");
      const value = at.kind === "SQLite" ? `x'${other}'` : `'\\x${other}'`;
      await at.query(`UPDATE schemas SET text = ${value} WHERE hash = '${inputHash}' RETURNING id`);
      for (const scope of [OWN, clientOf(1)]) {
        expect(await store.contracts.tool(scope, "c")).toBeUndefined();
        expect(await store.contracts.tool(scope, "b")).toBeDefined();
      }
    });

    it("are replaced in order for each client, however large the lists are", async (context) => {
      const store = closing(await (await place(context)).store());
      const large = Array.from({ length: 3_000 }, (_, n) => tool(`t${n}`, `"${n}"`));
      await store.contracts.replace(OWN, LIST);
      const [larger, smaller] = await Promise.all([
        store.contracts.replace(OWN, large),
        store.contracts.replace(OWN, LIST),
      ]);
      expect([larger.length, smaller.length]).toEqual([3_003, 3_003]);
      expect(await store.contracts.replace(OWN, LIST)).toEqual([]);
      expect(await store.contracts.toolNames("s")).toEqual(new Set(["a", "b", "c"]));
    });
  });
