import { execFileSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { FAULTY_SERVER, type Run, tempDir, touchstone } from "../testing/touchstone.ts";

const HOUSE = realpathSync(fileURLToPath(new URL("../../../../", import.meta.url)));
const CHANGED =
  /error: the installation of touchstone changed while this process ran \((.*)\); restart it/;

/** An installed command: its program, the folder that an upgrade replaces, and the manifest in that folder. */
interface Installed {
  readonly program: string;
  readonly folder: string;
  readonly manifest: string;
}

function linkLibraries(modules: string): void {
  mkdirSync(modules, { recursive: true });
  const libraries = join(HOUSE, "node_modules");
  for (const name of readdirSync(libraries)) {
    if (!/^(@?touchstone|\.)/.test(name)) symlinkSync(join(libraries, name), join(modules, name));
  }
}

const LAYOUTS = {
  "of single packages"(directory: string): Installed {
    const modules = join(directory, "node_modules");
    const own = join(modules, "@touchstone");
    linkLibraries(modules);
    for (const name of readdirSync(join(HOUSE, "packages")).filter((one) => one !== "console")) {
      for (const part of ["package.json", "dist", ...(name === "cli" ? ["bin"] : [])]) {
        cpSync(join(HOUSE, "packages", name, part), join(own, name, part), { recursive: true });
      }
    }
    const program = join(own, "cli/bin/touchstone.js");
    return { program, folder: own, manifest: join(own, "util/package.json") };
  },
  "as published"(directory: string): Installed {
    const modules = join(directory, "node_modules");
    const folder = join(modules, "touchstone");
    linkLibraries(modules);
    execFileSync(process.execPath, [join(HOUSE, "tools/build/command.mjs"), folder], {
      cwd: HOUSE,
    });
    return {
      program: join(folder, "bin/touchstone.js"),
      folder,
      manifest: join(folder, "package.json"),
    };
  },
};

interface Serving extends Run {
  readonly origin: string;
  /** Changes a setting that restarts the thread for the records. */
  readonly restartThread: () => void;
}

async function serving(installed: Installed): Promise<Serving> {
  const config = join(tempDir(), "touchstone.json");
  const mcpServers = { faulty: { command: process.execPath, args: [FAULTY_SERVER] } };
  const keep = (max_records: number): void =>
    writeFileSync(config, JSON.stringify({ mcpServers, activity: { max_records } }));
  keep(1_000);
  const args = ["serve", "--config", config, "--listen", "127.0.0.1:0", "--log-level", "debug"];
  const run = touchstone(args, { program: installed.program });
  const [, url = ""] = await run.seen("stderr", /faulty: (http:\S+)/);
  await run.seen("stderr", /: ready/);
  await run.seen("stderr", /all parts are loaded/);
  return { ...run, origin: new URL(url).origin, restartThread: () => keep(1_001) };
}

/** A response's status and text; undefined if the process has ended. */
type Got = { readonly status: number; readonly text: string } | undefined;

async function ask(origin: string, path: string, init: RequestInit = {}): Promise<Got> {
  try {
    const response = await fetch(origin + path, init);
    return { status: response.status, text: await response.text() };
  } catch {
    return undefined;
  }
}

/**
 * Requests all paths that the gateway documents, and further ones. Returns the requests that failed with an internal
 * error.
 */
async function walk(
  origin: string,
): Promise<{ readonly failed: unknown[]; readonly seen: number }> {
  const document = JSON.parse((await ask(origin, "/api/v1/openapi.json"))?.text ?? "{}") as {
    readonly paths?: Readonly<Record<string, Readonly<Record<string, object>>>>;
  };
  const routes = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => [method.toUpperCase(), path] as const),
  );
  const pages = [
    "/",
    "/tools",
    "/servers/faulty/",
    "/servers/faulty/tools",
    "/none",
    "/mcp/faulty",
  ];
  routes.push(["POST", "/servers/faulty/tools/get_weather/validate"]);
  const failed: unknown[] = [];
  for (const [method, path] of [...routes, ...pages.map((page) => ["GET", page] as const)]) {
    if (path.endsWith("/events")) continue;
    const filled = path.replace(/\{server\}|\{name\}/g, "faulty").replace(/\{\w+\}/g, "x");
    const headers = { "content-type": "application/json" };
    const body = method === "GET" ? {} : { body: "{}", headers };
    const got = await ask(origin, filled, { method, ...body });
    if (got !== undefined && (got.status === 500 || /internal error|INTERNAL/i.test(got.text))) {
      failed.push([method, filled, got]);
    }
  }
  return { failed, seen: routes.length };
}

/** Returns the files that a program of a package loads at its start. */
function loadedBy(file: string, seen: Set<string> = new Set()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [, path = ""] of readFileSync(file, "utf8").matchAll(
    /^(?:import|export)\b[^;]*?"(\.[^"]+)";/gm,
  )) {
    loadedBy(join(dirname(file), path), seen);
  }
  return seen;
}

it("that has lost what a thread loads later ends serve with a reason", long, async () => {
  const { program, folder } = LAYOUTS["of single packages"](tempDir());
  const run = await serving({ program, folder, manifest: "" });
  for (const [name, program] of [
    ["gateway", "insight/reading/entry.js"],
    ["records", "serve.js"],
  ] as const) {
    const dist = join(folder, name, "dist");
    const kept = loadedBy(join(dist, program));
    for (const path of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
      const file = join(dist, path);
      if (file.endsWith(".js") && !kept.has(file)) rmSync(file);
    }
  }
  run.restartThread();
  expect(await run.ended).toBe(3);
  expect(CHANGED.exec(run.stderr())?.[1]).toMatch(/\.js is missing$/);
});

/** The other layout behaves the same, and takes longer because files are copied. */
const PUBLISHED = "as published";

describe.each(Object.entries(LAYOUTS))("an installation %s", (layout, install) => {
  it("that changes ends serve with a reason, and no route fails", {
    ...long,
    timeout: 120_000,
    ...(layout === PUBLISHED ? long : {}),
  }, async () => {
    const installed = install(tempDir());
    const text = readFileSync(installed.manifest, "utf8");
    const manifest = JSON.parse(text) as { readonly version: string };
    const upgraded = await serving(installed);
    writeFileSync(installed.manifest, JSON.stringify({ ...manifest, version: "99.0.0" }));
    upgraded.restartThread();
    expect(await upgraded.ended).toBe(3);
    expect(CHANGED.exec(upgraded.stderr())?.[1]).toBe(
      `version ${manifest.version} runs, and 99.0.0 is installed`,
    );
    writeFileSync(installed.manifest, text);
    const removed = await serving(installed);
    // Its thread has loaded all modules by the time that it has responded.
    expect((await ask(removed.origin, "/api/v1/activity"))?.status).toBe(200);
    rmSync(installed.folder, { recursive: true });
    const walked = await walk(removed.origin);
    expect(walked.failed).toEqual([]);
    expect(walked.seen).toBeGreaterThan(20);
    removed.restartThread();
    expect(await removed.ended).toBe(3);
    expect(CHANGED.exec(removed.stderr())?.[1]).toMatch(/is missing$/);
    expect(removed.stderr().match(new RegExp(CHANGED, "g"))).toHaveLength(1);
  });
});
