import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Node } from "typescript/unstable/ast";
import {
  isCallExpression,
  isIdentifier,
  isNewExpression,
  isPropertyAccessExpression,
  isSpreadElement,
} from "typescript/unstable/ast/is";
import { API, type Checker, type Type, TypeFlags } from "typescript/unstable/sync";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/*
 * Built-ins whose time is more than linear in an external text or value, or linear without a bound, within one turn
 * of the event loop. Each file that uses such a built-in is listed here with the reason why its time is bounded.
 * Names are compared with `folded` of `@touchstone/core`.
 */

const ROOT = fileURLToPath(new URL("..", import.meta.url));

const CONFIGURED = "a URL of the configuration or the command line, which its operator wrote";
const OWN = "a file of the package itself";
const HEADER = "a header, which HTTP parsers limit to 16 KiB of Latin-1";
const CONSTANT = "a constant of the program";
const METADATA = "a URL in the metadata of a provider, of which 256 KiB are read";

/** By built-in: the files that may use it, and why. */
const ALLOWED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  normalize: { "core/src/text/fold.ts": "checks the length first: at most 1,024 characters" },
  localeCompare: {},
  // Node.js 20 reads a Latin-1 text as UTF-8 there once V8 has optimized the caller: `parseUrl` of @touchstone/util does not.
  "URL.canParse": {},
  Intl: { "cli/src/terminal/table.ts": "a cell of a table, in a process of its own" },
  URL: {
    "core/src/keywords/hosts.ts": "checks the length first: 8,192 characters, 253 of the host",
    "core/src/node/check-pool.ts": OWN,
    "util/src/own-package.ts": OWN,
    "util/src/parse-url.ts": "parses for the files that are named here",
    "gateway/src/config/address.ts": CONFIGURED,
    "gateway/src/features/alerts/read.ts": CONFIGURED,
    "gateway/src/config/callers.ts": CONFIGURED,
    "gateway/src/config/disabled.ts": CONFIGURED,
    "gateway/src/config/oidc.ts": CONFIGURED,
    "gateway/src/config/shown-url.ts": CONFIGURED,
    "gateway/src/config/server-url.ts": CONFIGURED,
    "gateway/src/insight/telemetry/telemetry.ts": CONFIGURED,
    "records/src/postgres/faults.ts": CONFIGURED,
    "gateway/src/server/alerts/alerts.ts": CONFIGURED,
    "gateway/src/server/presence-file.ts": "an address that a gateway of the same user wrote",
    "gateway/src/server/access/access.ts": HEADER,
    "gateway/src/server/access/protected-resource.ts": HEADER,
    "gateway/src/server/sign-in/oidc/bounded-fetch.ts": METADATA,
    "gateway/src/server/sign-in/oidc/oidc.ts": `${CONFIGURED}, or ${HEADER}`,
    "gateway/src/server/sign-in/oidc/provider.ts": METADATA,
    "gateway/src/server/sign-in/oidc/redirect.ts": CONFIGURED,
    "gateway/src/transport/http/proxy.ts": CONFIGURED,
    "gateway/src/server/access/tokens.ts": CONFIGURED,
    "gateway/src/relay/http/upstream.ts": `${CONFIGURED}, or ${HEADER}`,
    "gateway/src/wrap.ts": CONFIGURED,
    "http/src/page/link.ts": "an option of the program that serves the page",
    "cli/src/config/show.ts": CONFIGURED,
    "cli/src/demo/agent.ts": "the address of the demo's own gateway",
    "cli/src/install/run-install.ts": CONFIGURED,
    "cli/src/install/wrap-entry.ts": CONFIGURED,
    "cli/src/servers/login.ts": CONFIGURED,
    "cli/src/servers/target.ts": CONFIGURED,
    "cli/src/version/version-check.ts": CONFIGURED,
    "console/src/api/gateway.ts": "the address of the page itself",
    "console/src/main.tsx": "the address of the page itself",
    "console/src/ui/markdown.tsx": "a link in a text of at most 10,000 characters",
  },
  structuredClone: {
    "capability/src/server/run-check.ts": "arguments within the limits of the check before it",
    "protocol/src/inclusion/aim.ts": "schemas that are compared, in a command or on a thread",
    "protocol/src/inclusion/subset.ts": "schemas that are compared, in a command or on a thread",
  },
  "spread of a string": {
    "gateway/src/config/servers.ts": "a server's name in the configuration",
    "gateway/src/features/tool-lists/decide.ts":
      "a pattern of the configuration, or a name that can be folded",
    "protocol/src/tool-checks/adapt/hidden-text.ts": "the first characters of the hidden text",
    "core/src/engine/pattern/sample.ts": CONSTANT,
    "core/src/json/string.ts": CONSTANT,
    "core/src/document/library.ts": "the characters of one part of an identifier, each once",
    "core/src/engine/format/format.ts": CONSTANT,
    "core/src/engine/pattern/translate.ts": "a text whose match was paid for in steps",
    "core/src/engine/pattern/symbols.ts": CONSTANT,
    "core/src/report/explain/describe.ts": "checks the length first: 10,000 characters",
    "core/src/report/render/terminal.ts": "a line of a report, in a process of its own",
    "util/src/hidden-secret.ts": "a secret of the configuration",
  },
};

const isText = (type: Type | undefined): boolean =>
  type !== undefined &&
  ((type.flags & TypeFlags.StringLike) !== 0 ||
    (type.isUnionType?.() === true && type.getTypes().some(isText)));

interface Use {
  readonly builtIn: string;
  /** The use counts only if this is a string. */
  readonly text?: Node;
}

/** Returns the built-in that a node uses. */
function useIn(node: Node): Use | undefined {
  if (isSpreadElement(node)) return { builtIn: "spread of a string", text: node.expression };
  if (isNewExpression(node) && isIdentifier(node.expression)) {
    const [first] = node.arguments ?? [];
    if (node.expression.text === "URL") return { builtIn: "URL" };
    return node.expression.text === "Set" && first !== undefined
      ? { builtIn: "spread of a string", text: first }
      : undefined;
  }
  if (isPropertyAccessExpression(node)) {
    const { expression: of, name } = node;
    if (isIdentifier(of) && of.text === "URL" && name.text === "parse") return { builtIn: "URL" };
    if (name.text === "canParse") return { builtIn: "URL.canParse" };
    if (isIdentifier(of) && of.text === "Intl") return { builtIn: "Intl" };
    if (name.text === "localeCompare") return { builtIn: "localeCompare", text: of };
    if (name.text === "normalize") return { builtIn: "normalize", text: of };
    return undefined;
  }
  if (!isCallExpression(node)) return undefined;
  const { expression: called } = node;
  if (isIdentifier(called) && called.text === "structuredClone") return { builtIn: called.text };
  if (isIdentifier(called) && called.text === "parseUrl") return { builtIn: "URL" };
  const [first] = node.arguments;
  const isFrom =
    isPropertyAccessExpression(called) &&
    called.name.text === "from" &&
    isIdentifier(called.expression) &&
    called.expression.text === "Array";
  return isFrom && first !== undefined ? { builtIn: "spread of a string", text: first } : undefined;
}

function usesIn(root: Node, checker: Checker): readonly string[] {
  const uses: Use[] = [];
  const visit = (node: Node): void => {
    const use = useIn(node);
    if (use !== undefined) uses.push(use);
    node.forEachChild(visit);
  };
  root.forEachChild(visit);
  const texts = uses.flatMap(({ text }) => text ?? []);
  const types = texts.length === 0 ? [] : checker.getTypeAtLocation(texts);
  const isTextAt = new Map(texts.map((text, i) => [text, isText(types[i])]));
  return uses
    .filter(({ text }) => text === undefined || isTextAt.get(text) === true)
    .map(({ builtIn }) => builtIn);
}

const isOfTests = (file: string): boolean => /\.test\.tsx?$|\/testing\//.test(file);
const PACKAGES = [
  "core",
  "protocol",
  "runner",
  "capability",
  "http",
  "util",
  "records",
  "gateway",
  "console",
  "cli",
];

describe("built-ins without a bound", () => {
  const found = new Map<string, Set<string>>();
  const read = new Set<string>();
  const api = new API({ cwd: ROOT });
  afterAll(() => api.close());
  beforeAll(() => {
    const configs = PACKAGES.map((name) => `${ROOT}packages/${name}/tsconfig.json`);
    const snapshot = api.updateSnapshot({ openProjects: configs });
    for (const config of configs) {
      const project = snapshot.getProject(config);
      const sources = `${config.slice(0, -"tsconfig.json".length)}src/`;
      for (const file of project?.program.getSourceFileNames() ?? []) {
        if (!file.startsWith(sources) || isOfTests(file)) continue;
        const source = project?.program.getSourceFile(file);
        if (project === undefined || source === undefined) continue;
        const name = file.slice(`${ROOT}packages/`.length);
        read.add(name);
        for (const builtIn of usesIn(source, project.checker)) {
          found.set(builtIn, (found.get(builtIn) ?? new Set()).add(name));
        }
      }
    }
  }, 120_000);

  it("are looked for in every source file", () => {
    const all = PACKAGES.flatMap((name) =>
      readdirSync(`${ROOT}packages/${name}/src`, { recursive: true, encoding: "utf8" })
        .map((file) => `${name}/src/${file.replaceAll("\\", "/")}`)
        .filter((file) => /\.tsx?$/.test(file) && !isOfTests(file) && !file.endsWith(".d.ts")),
    );
    expect(all.length).toBeGreaterThan(1_000);
    expect(all.filter((file) => !read.has(file))).toEqual([]);
  });

  it.each(Object.keys(ALLOWED))("are used only in files that are named here: %s", (builtIn) => {
    expect([...(found.get(builtIn) ?? [])].toSorted()).toEqual(
      Object.keys(ALLOWED[builtIn] ?? {}).toSorted(),
    );
  });

  it("include no other kind", () => {
    expect([...found.keys()].filter((builtIn) => !Object.hasOwn(ALLOWED, builtIn))).toEqual([]);
  });
});
