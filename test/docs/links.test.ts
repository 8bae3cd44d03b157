import { existsSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { projectFiles, ROOT } from "./files.ts";
import { readPages } from "./markdown.ts";

const pages = readPages();
const byPath = new Map(pages.map((page) => [page.path, page]));

/** Returns what is wrong with a link of a page. */
function faultOf(from: string, link: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(link)) {
    const { protocol, hostname } = new URL(link);
    return protocol === "https:" && hostname.includes(".") ? undefined : "no address over https";
  }
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? from : normalize(join(dirname(from), decodeURIComponent(path)));
  if (target.startsWith("..")) return "leads out of the project";
  if (!existsSync(ROOT + target)) return "there is no such file";
  if (anchor === undefined) return undefined;
  const page = byPath.get(target);
  if (page === undefined) return statSync(ROOT + target).isFile() ? "no page" : "a folder";
  return page.anchors.has(anchor) ? undefined : `no heading of ${target} gives #${anchor}`;
}

it("distinguishes a broken link from a good one", () => {
  expect(faultOf("README.md", "docs/reference/gateway.md#options")).toBeUndefined();
  expect(faultOf("docs/guides/check-tools-in-ci.md", "../../README.md#presets")).toBeUndefined();
  expect(faultOf("README.md", "docs/reference/gateway.md#nothing")).toContain("no heading");
  expect(faultOf("README.md", "docs/nothing.md")).toContain("no such file");
  expect(faultOf("README.md", "../x")).toContain("out of the project");
  expect(faultOf("README.md", "http://x.example/")).toContain("https");
});

describe("links have a target", () => {
  it.each(pages.filter(({ links }) => links.length > 0).map((page) => [page.path, page] as const))(
    "%s",
    (path, { links }) => {
      const faults = links.map((link) => [link, faultOf(path, link)] as const);
      expect(faults.filter(([, fault]) => fault !== undefined)).toEqual([]);
    },
  );
});

interface SidebarItem {
  readonly link?: string;
  readonly items?: readonly SidebarItem[];
}

it("every page of the site is in its sidebar", async () => {
  const { placeOf, sidebar } = (await import("../../tools/docs/pages.mjs" as string)) as {
    placeOf(path: string): string | undefined;
    sidebar(): readonly SidebarItem[];
  };
  const linksOf = (items: readonly SidebarItem[]): readonly string[] =>
    items.flatMap(({ link, items = [] }) => [...(link ? [link] : []), ...linksOf(items)]);
  const listed = linksOf(sidebar()).map((link) => link.split("#")[0]);
  const places = pages.map(({ path }) => placeOf(path)).filter((place) => place !== undefined);
  const folders = new Set(places.map((place) => dirname(place)));
  expect([...folders].toSorted()).toEqual(
    [".", "decisions", "examples", "explanation", "guides", "guides/agents", "packages"].concat([
      "project",
      "reference",
      "tutorial",
    ]),
  );
  const missing = places.filter((place) => place !== "index.md" && !listed.includes(`/${place}`));
  expect(missing).toEqual([]);
});

/** Files that belong to a reader, or to another program, according to the pages. */
const NOT_OURS = new Set(["server.mjs", "server.js", "claude_desktop_config.json"]);

it("project files named in running text exist", () => {
  const files = projectFiles();
  const named = pages.flatMap(({ path, spans }) =>
    spans
      .filter((span) => /^[\w./-]+\.(?:m?[jt]sx?)$/.test(span) && !NOT_OURS.has(span))
      .map((span) => [path, span] as const),
  );
  expect(named.length).toBeGreaterThan(40);
  const isThere = (span: string) => files.some((file) => `/${file}`.endsWith(`/${span}`));
  expect(named.filter(([, span]) => !isThere(span))).toEqual([]);
});

it("every page of docs/ is linked from the README, directly or indirectly", () => {
  const reached = new Set(["README.md"]);
  for (const from of reached) {
    for (const link of byPath.get(from)?.links ?? []) {
      const target = normalize(join(dirname(from), link.split("#")[0] ?? ""));
      if (byPath.has(target)) reached.add(target);
    }
  }
  const missed = pages.map(({ path }) => path).filter((path) => path.startsWith("docs/"));
  expect(missed.filter((path) => !reached.has(path))).toEqual([]);
});
