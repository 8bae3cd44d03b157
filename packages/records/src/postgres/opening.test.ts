import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { useDatabases } from "../testing/databases.ts";
import { openPostgresReader, openPostgresStore } from "./open.ts";
import { openPool } from "./pool.ts";

const database = useDatabases();

describe("a connection as it is opened", () => {
  it("sends only startup parameters that PgBouncer accepts", async () => {
    let packet: Buffer = Buffer.alloc(0);
    const server = createServer((socket) => {
      socket.once("data", (bytes) => {
        packet = bytes;
        socket.destroy();
      });
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const url = `postgresql://u:p@127.0.0.1:${port}/d`;
    await expect(openPostgresReader({ url })).rejects.toMatchObject({ code: "STORE_UNREACHABLE" });
    // After the length and the version come pairs of names and values.
    const texts = packet.subarray(8).toString().split("\0");
    const names = texts.filter((text, at) => at % 2 === 0 && text !== "");
    expect(names.sort()).toEqual(["application_name", "client_encoding", "database", "user"]);
  });

  it("sets a statement timeout, or the URL's", async ({ skip }) => {
    const url = await database(skip);
    const boundOf = async (at: string): Promise<unknown> => {
      const { pool } = openPool(at, { connections: 1, statementMs: 7_000 });
      const { rows } = await pool.query("SHOW statement_timeout");
      await pool.end();
      return rows[0]?.statement_timeout;
    };
    expect(await boundOf(url)).toBe("7s");
    expect(await boundOf(`${url}?statement_timeout=3000`)).toBe("3s");
  });
});

it("refuses a database whose encoding cannot hold every text", async ({ skip }) => {
  const url = await database(skip);
  const { pool } = openPool(url, { connections: 1, statementMs: 10_000 });
  onTestFinished(() => pool.end());
  const latin = new URL(url);
  latin.pathname += "_latin";
  const name = latin.pathname.slice(1);
  await pool.query(`CREATE DATABASE ${name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`);
  await expect(openPostgresStore({ url: latin.href })).rejects.toMatchObject({
    code: "BAD_STORE",
    message: expect.stringMatching(/encoding LATIN1.*ENCODING 'UTF8'/),
  });
});
