import type { Page, Request } from "playwright-core";
import { describe, expect, it, type TestContext } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { useDatabases as databases } from "../../../records/src/testing/databases.ts";
import { PAGES } from "../page/route.ts";
import { signIn } from "../testing/console.ts";
import { callTools, describeGatewayPages, FAULTY, type ServedGateway } from "../testing/gateway.ts";

const ADMIN = "the-admin-key-of-this-walk";
const KEYS = {
  viewer: "the-key-of-a-viewer-who-walks",
  admin: "the-key-of-an-admin-who-walks",
};
const CONFIG = {
  mcpServers: {
    faulty: { ...FAULTY, touchstone: { pin: "strict", lock: "first_use" } },
    strict: { ...FAULTY, touchstone: { input_validation: { mode: "strict" } } },
  },
  auth: {
    admin_key: ADMIN,
    keys: Object.entries(KEYS).map(([role, key]) => ({ name: role, role, key })),
  },
  activity: { bodies: true, drift: true },
};

/** Maximum number of views of one kind to visit: links to further records and tools lead to views of the same kind. */
const MAX_OF_A_KIND = 2;
/** Maximum number of views to visit. */
const MAX_VIEWS = 150;

const WALK = { ...long, timeout: 240_000 };

/** Returns the kind of view that a link leads to: its address without names and ids. */
function kindOf(hash: string): string {
  const [path = "", query = ""] = hash.split("?", 2);
  const [, page = "", item = ""] = path.split("/");
  const names = [...new URLSearchParams(query).keys()].sort().join();
  return `${page}${item === "" ? "" : "/ITEM"}?${names}`;
}

/** Returns the addresses of the page's own views that it links to. */
const linksOf = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll("a[href]")]
      .map((link) => new URL((link as HTMLAnchorElement).href))
      .filter(({ origin, hash }) => origin === location.origin && hash.startsWith("#/"))
      .map(({ hash }) => hash),
  );

/** Waits until a view has received what it requested. */
async function settled(page: Page, { open }: Asking): Promise<void> {
  await page.locator("h1").first().waitFor();
  const isBusy = async (): Promise<boolean> => {
    // What is rendered may cause further requests.
    await page.evaluate(
      () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
    );
    return open.size > 0 || (await page.getByText(/^Loading/).count()) > 0;
  };
  await expect.poll(isBusy, { timeout: 20_000 }).toBe(false);
}

/** Follows every link of the console, unless views of its kind were visited before. */
async function walk(
  page: Page,
  asking: Asking,
  visit: (hash: string) => Promise<void>,
): Promise<readonly string[]> {
  const kinds = new Map<string, number>();
  const known = new Set<string>();
  const ahead = ["#/"];
  const visited: string[] = [];
  const take = (hash: string): void => {
    const kind = kindOf(hash);
    const count = kinds.get(kind) ?? 0;
    if (known.has(hash) || count >= MAX_OF_A_KIND) return;
    known.add(hash);
    kinds.set(kind, count + 1);
    ahead.push(hash);
  };
  for (const hash of ahead) {
    expect(visited.length, "the walk ends").toBeLessThan(MAX_VIEWS);
    await page.evaluate((to) => {
      location.hash = to;
    }, hash);
    await settled(page, asking);
    await visit(hash);
    visited.push(hash);
    for (const link of await linksOf(page)) take(link);
  }
  return visited;
}

/** Returns the buttons and fields that change something, and that are enabled. */
const changing = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const verbs =
      /^(?:Approve|Revoke|Allow this|Make this tool strict|Apply these rules|Add a server|Edit|Enable|Disable|Save|Undo|Change|End)\b/;
    const nameOf = (each: Element): string =>
      (each.getAttribute("aria-label") ?? each.textContent ?? "").trim();
    const buttons = [
      ...document.querySelectorAll("main button:enabled, [role=dialog] button:enabled"),
    ]
      .map(nameOf)
      .filter((name) => verbs.test(name));
    const fields = [
      ...document.querySelectorAll(
        "form.modes select:enabled, main [role=switch]:enabled, main input[inputmode=numeric]:enabled",
      ),
      ...document.querySelectorAll('[aria-label="Mode of policy"]:enabled'),
      ...document.querySelectorAll('[aria-label^="Preset"]:enabled'),
    ].map((field) => field.closest("label")?.textContent ?? field.outerHTML.slice(0, 120));
    // This button changes what the page shows, but nothing at the gateway.
    return [...buttons, ...fields].filter((each) => each !== "Follow live");
  });

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

/** The requests of a page to the API: those with a response, and those without one yet. */
interface Asking {
  readonly asked: readonly Asked[];
  readonly open: ReadonlySet<Request>;
}

function askingOf(page: Page): Asking {
  const asked: Asked[] = [];
  const open = new Set<Request>();
  page.on("request", (request) => open.add(request));
  page.on("requestfinished", (request) => open.delete(request));
  page.on("requestfailed", (request) => open.delete(request));
  page.on("response", (response) => {
    const { pathname } = new URL(response.url());
    if (!pathname.includes("/api/v1/")) return;
    asked.push({
      method: response.request().method(),
      path: pathname,
      status: response.status(),
    });
  });
  return { asked, open };
}

const database = databases();

describe.each(["SQLite", "PostgreSQL"])("with records in %s", (kind) => {
  describeGatewayPages("every link of the console", (console) => {
    let gateway: ServedGateway;
    let links: readonly string[] = [];

    const ready = async ({ skip }: TestContext): Promise<ServedGateway> => {
      if (gateway !== undefined) return gateway;
      const store = kind === "SQLite" ? {} : { store: await database(skip) };
      const activity = { ...CONFIG.activity, ...store };
      gateway = await console.start(JSON.stringify({ ...CONFIG, activity }));
      await callTools(gateway, "faulty", [["get_weather", { city: "Oslo" }]], ADMIN);
      await callTools(gateway, "strict", [["get_weather", { city: 1 }]], ADMIN);
      return gateway;
    };

    it.for(["viewer", "admin"] as const)("is answered for a %s", WALK, async (role, context) => {
      const { page: root } = await ready(context);
      const { page, found } = await console.open(`${root}#/`);
      await signIn(page, KEYS[role]);
      const asking = askingOf(page);
      const { asked } = asking;
      const changes = new Set<string>();
      const visited = await walk(page, asking, async (hash) => {
        expect([hash, await page.getByText("Page not found").count()]).toEqual([hash, 0]);
        expect([hash, await page.locator('[role="alert"]:not(:empty)').allInnerTexts()]).toEqual([
          hash,
          [],
        ]);
        for (const each of await changing(page)) changes.add(`${hash} ${each}`);
      });
      links = visited;
      expect(visited.length).toBeGreaterThan(25);
      expect(asked.length).toBeGreaterThan(50);
      expect(asked.filter(({ status }) => status >= 400)).toEqual([]);
      expect(asked.filter(({ method }) => method !== "GET")).toEqual([]);
      if (role === "viewer") expect([...changes]).toEqual([]);
      else expect(changes.size).toBeGreaterThan(8);
      expect(found).toEqual([]);
    });

    it("leads a stranger to the sign-in page, and after it to the view", WALK, async (context) => {
      const { page: root } = await ready(context);
      const all = links.length > 0 ? links : PAGES.map((name) => `#/${name}`);
      const { page, found } = await console.open(`${root}#/`);
      const asking = askingOf(page);
      const heading = page.getByRole("heading", { name: "Sign in to Touchstone" });
      for (const hash of all) {
        await page.goto("about:blank");
        await page.goto(`${root}${hash}`);
        await heading.waitFor();
        expect(page.url()).toBe(`${root}${hash}`);
        expect([hash, await page.getByRole("navigation").count()]).toEqual([hash, 0]);
      }
      // The page of a user who is not signed in requests the session, and nothing else.
      expect(new Set(asking.asked.map(({ path }) => path))).toEqual(new Set(["/api/v1/session"]));
      const last = all.at(-1) ?? "";
      await signIn(page, KEYS.viewer);
      await settled(page, asking);
      expect(page.url()).toBe(`${root}${last}`);
      expect(await heading.count()).toBe(0);
      expect(found).toEqual([]);
    });

    it(
      "is still answered after a restart of the page, and not after sign-out",
      long,
      async (context) => {
        const { page: root } = await ready(context);
        const { page } = await console.open(`${root}#/pins`);
        await signIn(page, KEYS.viewer);
        await page.reload();
        await page.getByRole("heading", { name: "Pins" }).waitFor();
        await page.getByRole("button", { name: /^Account: viewer/ }).click();
        await page.getByRole("menuitem", { name: "Sign out" }).click();
        await page.getByRole("heading", { name: "Sign in to Touchstone" }).waitFor();
        await page.goto(`${root}#/pins`);
        await page.reload();
        await page.getByRole("heading", { name: "Sign in to Touchstone" }).waitFor();
      },
    );
  });
});
