import { readdirSync, readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { satisfies } from "semver";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../", import.meta.url));
const read = (path: string): string => readFileSync(root + path, "utf8");
const json = (path: string) => JSON.parse(read(path));

/** The packages from the lowest to the highest layer: a package may import those before it in this list. */
const HOUSE = [
  "@touchstone/core",
  "@touchstone/protocol",
  "@touchstone/util",
  "@touchstone/capability",
  "@touchstone/runner",
  "@touchstone/http",
  "@touchstone/records",
  "@touchstone/gateway",
  "@touchstone/console",
  "touchstone",
];
const ROOMS = readdirSync(`${root}packages`);
/** Packages that users bundle into their own programs, also for browsers and the edge. */
const LIBRARIES = ["core", "protocol", "capability", "runner", "http"];
const PUBLIC = ROOMS.filter((room) => json(`packages/${room}/package.json`).private !== true);

describe("packages", () => {
  it("each have a layer and a README", () => {
    const names = ROOMS.map((room) => json(`packages/${room}/package.json`).name);
    expect(names.toSorted()).toEqual(HOUSE.toSorted());
    for (const room of ROOMS)
      expect(statSync(`${root}packages/${room}/README.md`).size).toBeGreaterThan(0);
  });

  it.each(ROOMS)("%s imports only lower packages", (room) => {
    const { name, dependencies = {} } = json(`packages/${room}/package.json`);
    const own = Object.keys(dependencies).filter((dependency) => HOUSE.includes(dependency));
    const below = HOUSE.slice(0, HOUSE.indexOf(name));
    expect(own.filter((dependency) => !below.includes(dependency))).toEqual([]);
    const references = json(`packages/${room}/tsconfig.json`).references;
    const referenced = references.map(
      ({ path }: { path: string }) => json(`packages/${room}/${path}/package.json`).name,
    );
    expect(referenced.toSorted()).toEqual(own.toSorted());
  });

  it("install without a warning on the oldest supported Node.js", () => {
    const floor = json("package.json").engines.node.replace(">=", "");
    const locked: Record<string, { engines?: { node?: string } }> =
      json("package-lock.json").packages;
    const newer = Object.entries(locked).filter(
      ([, { engines }]) => engines?.node !== undefined && !satisfies(floor, engines.node),
    );
    expect(newer.map(([path, { engines }]) => `${path}: ${engines?.node}`)).toEqual([]);
  });

  it("pin every dependency to one version", () => {
    for (const path of [
      "package.json",
      "test/sdks/package.json",
      ...ROOMS.map((room) => `packages/${room}/package.json`),
    ]) {
      const { dependencies = {}, devDependencies = {} } = json(path);
      const versions = Object.entries({ ...dependencies, ...devDependencies });
      expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+/.test(String(version)))).toEqual([]);
    }
  });

  it.each(PUBLIC)("%s is published with the license", (room) => {
    // A copy, since npm packs what is in the package's own folder, and follows no link.
    expect(read(`packages/${room}/LICENSE`)).toBe(read("LICENSE"));
  });

  it("publish the licenses of the libraries bundled into the page", () => {
    const licences = read("packages/http/dist/console/licenses.md");
    const { dependencies } = json("packages/console/package.json");
    const foreign = Object.keys(dependencies).filter((name) => !HOUSE.includes(name));
    expect(foreign.filter((name) => !licences.includes(`## ${name} `))).toEqual([]);
    expect(licences).toContain("Copyright (c) Meta Platforms, Inc. and affiliates.");
  });

  it.each(LIBRARIES)("%s adds nothing to a bundle that does not use it", async (room) => {
    const { name } = json(`packages/${room}/package.json`);
    const input = `${root}packages/${room}/unused.js`;
    const unused = {
      name: "unused",
      resolveId: (id: string) => (id === input ? id : null),
      load: (id: string) => (id === input ? `import ${JSON.stringify(name)};` : null),
    };
    const built = await rolldown({ input, plugins: [unused] });
    const { output } = await built.generate();
    await built.close();
    expect(output.map((file) => (file.type === "chunk" ? file.code.trim() : file))).toEqual([""]);
  });

  it.each(LIBRARIES)("%s imports no Node.js module until it is needed", (room) => {
    const asked: string[] = [];
    const seen = new Set<string>();
    const follow = (file: URL): void => {
      if (seen.has(file.href)) return;
      seen.add(file.href);
      const text = readFileSync(file, "utf8");
      for (const [, id = ""] of text.matchAll(/^(?:import|export)\b[^;"]*"([^"]+)";/gm)) {
        if (id.startsWith(".")) follow(new URL(id, file));
        else if (id.startsWith("node:")) asked.push(id);
      }
    };
    follow(new URL(`../packages/${room}/dist/index.js`, import.meta.url));
    expect(asked).toEqual([]);
  });

  it("provide an executable command", () => {
    const { bin } = json("packages/cli/package.json");
    const { mode } = statSync(`${root}packages/cli/${bin.touchstone}`);
    expect(mode & 0o111).toBe(0o111);
  });
});

interface Locked {
  readonly optionalDependencies?: Record<string, string>;
  readonly resolved?: string;
  readonly hasInstallScript?: boolean;
  readonly dev?: boolean;
  /** A package that an optional one of others needs, such as OpenTelemetry's: npm installs it only if asked. */
  readonly devOptional?: boolean;
}

describe("package-lock.json", () => {
  const { packages } = json("package-lock.json") as {
    packages: Record<string, Locked>;
  };

  it("lists every platform's optional package, so that it installs everywhere", () => {
    const installed = new Set(
      Object.keys(packages).map((path) => path.split("node_modules/").at(-1)),
    );
    const missing = Object.values(packages)
      .flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies))
      .filter((name) => !installed.has(name));
    expect(missing).toEqual([]);
  });

  it("has no dependency of the published packages that runs a script when it is installed", () => {
    const running = Object.entries(packages).filter(
      ([, { hasInstallScript, dev, devOptional }]) => hasInstallScript && !dev && !devOptional,
    );
    expect(running.map(([path]) => path)).toEqual([]);
  });

  it("contains no registry URL", () => {
    const resolved = Object.values(packages).flatMap(({ resolved }) => resolved ?? []);
    expect(resolved.filter((url) => /^https?:/.test(url))).toEqual([]);
  });
});
