// The pages of the documentation: where each is on the site, and in which order.
import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const FOLDERS = ["tutorial", "guides", "reference", "explanation", "decisions"];

const read = (path) => readFileSync(ROOT + path, "utf8");

/** Returns the heading of a page; its path starts at the root of the project. */
export const titleOf = (path) => read(path).match(/^# (.*)$/m)?.[1] ?? path;

/** Returns the pages of each folder of docs/: `{name, pages}`, with paths from the root of the project. */
export function folders() {
  return FOLDERS.map((name) => ({
    name,
    pages: readdirSync(`${ROOT}docs/${name}`, { recursive: true })
      .map((file) => `docs/${name}/${file.replaceAll("\\", "/")}`)
      .filter((path) => path.endsWith(".md"))
      .toSorted(),
  }));
}

/** Pages outside docs/, with their places on the site. */
const BESIDE = {
  "ARCHITECTURE.md": "explanation/architecture.md",
  "CHANGELOG.md": "project/changelog.md",
  "CODE_OF_CONDUCT.md": "project/code-of-conduct.md",
  "CONTRIBUTING.md": "project/contributing.md",
  "SECURITY.md": "project/security.md",
};

/** Returns the place of a project file on the site. Undefined if it is not a page of the site. */
export function placeOf(path) {
  const [, kind, name] = /^(packages|examples)\/([^/]+)\/README\.md$/.exec(path) ?? [];
  if (kind !== undefined) return `${kind}/${name}.md`;
  if (!path.startsWith("docs/") || !path.endsWith(".md")) return BESIDE[path];
  return path.slice("docs/".length).replace(/(^|\/)README\.md$/, "$1index.md");
}

const entry = (path, text) => ({ text, link: `/${placeOf(path)}` });
const plain = (text) => text.replaceAll("`", "");

/** Returns the links of a page's Markdown text to other pages. The anchor is part of the link. */
function linksIn(text, from) {
  return [...text.matchAll(/\[([^\]]+)\]\(([^)#]+)(#[^)]*)?\)/g)].flatMap(
    ([, title, path, anchor = ""]) => {
      const target = posix.join(posix.dirname(from), path);
      const { link } = entry(target, "");
      return placeOf(target) === undefined ? [] : [{ text: plain(title), link: link + anchor }];
    },
  );
}

/** Returns the groups of a section of docs/README.md: one for each row of its table. */
function groupsOf(heading) {
  const from = "docs/README.md";
  const section =
    read(from)
      .split(/^## /m)
      .find((text) => text.startsWith(heading)) ?? "";
  return [...section.matchAll(/^\| ([^|]+) \| (.*) \|$/gm)]
    .map(([, text, cell]) => ({ text: plain(text), collapsed: true, items: linksIn(cell, from) }))
    .filter(({ items }) => items.length > 0);
}

const listed = (paths) => paths.map((path) => entry(path, plain(titleOf(path))));

/** Returns the sidebar of the site. Guides and reference use the groups of docs/README.md. */
export function sidebar() {
  const of = (name) => folders().find((folder) => folder.name === name)?.pages ?? [];
  const packages = readdirSync(`${ROOT}packages`).map((name) => `packages/${name}/README.md`);
  const examples = readdirSync(`${ROOT}examples`, { withFileTypes: true })
    .filter((file) => file.isDirectory())
    .map(({ name }) => `examples/${name}/README.md`)
    .filter((path) => readdirSync(ROOT + posix.dirname(path)).includes("README.md"));
  const section = (text, items, collapsed = true) => ({ text, items, collapsed });
  return [
    section("Tutorial", listed(of("tutorial")), false),
    section("Guides", groupsOf("Guides"), false),
    section("Reference", groupsOf("Reference"), false),
    section("Explanation", listed([...of("explanation"), "ARCHITECTURE.md"])),
    section("Decisions", listed(of("decisions"))),
    section(
      "Packages",
      packages.map((path) => entry(path, titleOf(path))),
    ),
    section("Examples", listed(examples)),
    section(
      "Project",
      listed(["CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md"]),
    ),
  ];
}
