import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { slug } from "github-slugger";
import { defineConfig } from "vitepress";
import { placeOf, ROOT, sidebar } from "../../pages.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
/** Set once the project is public: links to files that are not pages then lead to the repository. */
const { repository } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

const isPage = (path) => placeOf(path) !== undefined;

/** Returns the address for a link of a page. Undefined if its target is neither on the site nor in a repository. */
function addressOf(from, link) {
  if (/^(?:[a-z][a-z0-9+.-]*:|#|\/)/i.test(link)) return link;
  const [path, anchor] = link.split("#");
  const target = relative(ROOT, join(dirname(from), decodeURIComponent(path))).replaceAll(
    "\\",
    "/",
  );
  if (isPage(target)) return `/${placeOf(target)}${anchor === undefined ? "" : `#${anchor}`}`;
  if (!existsSync(ROOT + target)) throw new Error(`${from}: there is no ${link}`);
  return repository === undefined ? undefined : `${repository.url}/blob/main/${target}`;
}

/** Rewrites links: pages link to each other as files of the project. */
function linksOfTheSite(markdown) {
  markdown.core.ruler.push("links of the site", ({ tokens, env }) => {
    for (const { children } of tokens) {
      let isText = false;
      for (const token of children ?? []) {
        if (token.type === "link_open") {
          const address = addressOf(env.realPath ?? env.path, token.attrGet("href"));
          isText = address === undefined;
          if (!isText) token.attrSet("href", address);
        }
        if (isText && /^link_(open|close)$/.test(token.type)) {
          token.type = "text";
          token.content = "";
        }
      }
    }
  });
}

/**
 * VitePress lists packages to optimize in advance, relative to the pages' folder, which has none: Vite finds them on
 * demand.
 */
const NOTHING_AHEAD = {
  name: "nothing-ahead",
  configResolved({ environments }) {
    environments.client.optimizeDeps.include = [];
  },
};

/**
 * How the search ranks sections. Guides answer most questions, so they come first; decisions and the changelog come
 * last. Words of a question without a meaning of their own are not searched for. VitePress sends each function to the
 * browser as text, so it must not use outer names.
 */
const searchOptions = {
  boostDocument: (id) => {
    if (id.includes("/guides/") || id.includes("/tutorial/")) return 2;
    return /\/decisions\/|\/project\/|\/architecture/.test(id) ? 0.3 : 1;
  },
  prefix: (term) => term.length > 2,
  fuzzy: (term) => (term.length > 3 && /^[a-z]+$/.test(term) ? 0.2 : false),
  processTerm: (term) => {
    const word = term.toLowerCase();
    const says =
      /^(?:a|an|and|are|at|be|by|can|did|do|does|for|from|get|has|have|how|i|if|in|is|it|its|my|not|of|on|or|s|that|the|this|to|was|were|what|when|which|who|why|with|you)$/;
    return says.test(word) ? null : word;
  },
};

export default defineConfig({
  title: "Touchstone",
  description: "Checks every MCP tool call against what the tool declares",
  lang: "en-US",
  head: [["link", { rel: "icon", href: "data:," }]],
  srcDir: ROOT,
  srcExclude: [
    "README.md",
    "test/**",
    "tools/**",
    "deploy/**",
    "packages/*/*/**",
    "examples/*/*/**",
  ],
  outDir: here("../dist"),
  cacheDir: here("../node_modules/.cache"),
  rewrites: (path) => placeOf(path) ?? path,
  lastUpdated: false,
  vite: { logLevel: "warn", plugins: [NOTHING_AHEAD] },
  markdown: {
    // A heading may end in a path parameter: `/activity/{id}`.
    attrs: false,
    anchor: { slugify: slug },
    languageAlias: { promql: "text" },
    theme: { light: "github-light-high-contrast", dark: "github-dark-default" },
    config: linksOfTheSite,
  },
  themeConfig: {
    nav: [
      { text: "Tutorial", link: "/tutorial/" },
      { text: "All pages", link: "/" },
      // A separate page, which `build.mjs` adds to the site.
      { text: "Playground", link: "/playground/", target: "_self" },
    ],
    sidebar: sidebar(),
    outline: [2, 3],
    search: { provider: "local", options: { miniSearch: { searchOptions } } },
    docFooter: { prev: false, next: false },
  },
  transformPageData(page) {
    if (page.relativePath !== "index.md") return;
    page.title = "Touchstone";
    page.titleTemplate = page.description;
    page.frontmatter.layout = "home";
    page.frontmatter.hero = {
      name: "Touchstone",
      text: "Stop broken tool calls before they reach your MCP server",
      tagline: "Checks every MCP tool call against the tool's own schema.",
      actions: [
        { theme: "brand", text: "Tutorial", link: "/tutorial/" },
        { theme: "alt", text: "Wrap a server", link: "/guides/wrap-a-server" },
      ],
    };
  },
});
