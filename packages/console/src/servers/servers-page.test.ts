import { beforeAll, expect, it, vi } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { findings } from "../testing/axe.ts";
import { enterKey, screenshot, signIn } from "../testing/console.ts";
import { callTools, describeGatewayPages, FAULTY, type ServedGateway } from "../testing/gateway.ts";

const CONFIG = `{
  // What stands here is written by people.
  "mcpServers": {
    "faulty": ${JSON.stringify(FAULTY)}, // breaks what it declares
    "gone": { "command": "no-such-command-anywhere" }
  }
}
`;

describeGatewayPages("servers and settings", (console) => {
  let gateway: ServedGateway;
  beforeAll(async () => {
    gateway = await console.start(CONFIG);
  }, 60_000);

  it("shows each server, its definitions and their faults", async () => {
    const { page, found } = await console.open(gateway.page);
    await page.getByRole("navigation", { name: "Pages" }).getByText("Servers").click();
    await page.getByText("2 servers").waitFor();
    await page.getByRole("link", { name: "faulty" }).click();
    await page.getByRole("heading", { name: "faulty" }).waitFor();
    await page.getByRole("button", { name: "Load tools" }).click();
    const contracts = page.getByRole("table", { name: "Tool definitions" });
    await contracts.getByText("get_weather").first().waitFor();
    await contracts
      .getByText(/^\W*The output schema cannot be used: not valid .*\)\. Correct the keyword/)
      .waitFor();
    await page.getByText(/^running\s+since \d{4}-/).waitFor();
    await screenshot(page, "server");
    await page.getByRole("link", { name: "All servers" }).click();
    const card = page.getByRole("table", { name: "Servers" }).locator("tbody tr").first();
    await card.getByText("running").waitFor();
    await screenshot(page, "servers");
    // On a phone, the column heads are still lines of words, not columns of letters: the table scrolls.
    await page.setViewportSize({ width: 390, height: 844 });
    const heads = page.getByRole("table", { name: "Servers" }).getByRole("columnheader");
    const heights = await heads.evaluateAll((all) => all.map((head) => head.clientHeight));
    expect(heights).toHaveLength(9);
    expect(Math.max(...heights)).toBeLessThan(40);
    const state = await page.getByRole("columnheader", { name: "State" }).boundingBox();
    expect(state && state.x + state.width).toBeLessThan(390);
    expect(found).toEqual([]);
  });

  it(
    "says that there is no server, and how to add one, on the server and tool pages",
    long,
    async () => {
      const empty = await console.start('{ "mcpServers": {} }');
      const { page, found } = await console.open(`${empty.page}#/tools`);
      await page.getByText("No server is served here").waitFor();
      await page.getByText("touchstone install --client cursor").waitFor();
      await page.getByRole("navigation", { name: "Pages" }).getByText("Servers").click();
      await page.getByText("0 servers").waitFor();
      await page.getByText(/"mcpServers": \{/).waitFor();
      expect(found).toEqual([]);
    },
  );

  it("lists the servers of a client's file that are not served, and why", long, async () => {
    const mcpServers = {
      faulty: FAULTY,
      "old\u202e": { type: "sse", url: "https://example.com/sse" },
      off: { command: 1, disabled: true },
    };
    const partial = await console.start("{}", {
      editable: false,
      servers: JSON.stringify({ mcpServers }),
    });
    const { page, found } = await console.open(`${partial.page}#/servers`);
    await page.getByText("2 servers, 1 skipped").waitFor();
    const out = page.getByRole("region", { name: "Skipped" });
    await out.getByText("old[U+202E]").first().waitFor();
    await out.getByText(/the old HTTP\+SSE transport is not supported/).waitFor();
    const off = page.locator("tbody tr", { hasText: "off" });
    await off.getByText("It is disabled in the configuration").waitFor();
    await off.getByText(/If you enable it, it fails: mcp\.json:1:\d+: .*must be/).waitFor();
    await screenshot(page, "servers-left-out");
    expect(found).toEqual([]);
  });

  it("shows why a server cannot be started", long, async () => {
    const { page } = await console.open(`${gateway.page}#/servers/gone`);
    await page.getByRole("button", { name: "Load tools" }).click();
    await page
      .getByText(/no-such-command-anywhere/)
      .nth(1)
      .waitFor();
    await page.goto(`${gateway.page}#/servers/nobody`);
    await page
      .getByRole("alert")
      .getByText(/nobody/)
      .waitFor();
  });

  it("changes a server's modes in the configuration, with the token", long, async () => {
    const { page, found } = await console.open(`${gateway.page}#/servers/faulty`);
    const form = page.getByRole("form", { name: "Modes of server faulty" });
    const save = form.getByRole("button", { name: "Save" });
    await save.waitFor();
    await expect.poll(() => save.isDisabled()).toBe(true);
    await form.getByLabel("input").selectOption("strict");
    await save.click();
    await page.getByText("This change needs the role admin.").waitFor();
    expect(gateway.text()).toBe(CONFIG);
    await signIn(page, gateway.token);
    await form.getByText("Saved to the configuration. Now: input strict").waitFor();
    await expect.poll(() => form.getByLabel("input").inputValue()).toBe("strict");
    await screenshot(page, "server-modes");
    expect(gateway.text()).toContain("// breaks what it declares");
    expect(gateway.text()).toMatch(/"input_validation":\s*\{\s*"mode":\s*"strict"\s*\}/);
    await callTools(gateway, "faulty", [["get_weather", { city: 1 }]]);
    const [blocked] = await gateway.records({ type: "tool_call", status: "blocked,rejected" });
    expect(blocked).toMatchObject({ server: "faulty", tool: "get_weather" });
    const kept = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href]),
    );
    expect(kept).not.toContain(gateway.token);
    // The browser logs the refusal that this test causes.
    expect(found.filter((line) => !line.includes("401"))).toEqual([]);
  });

  it("changes a tool's modes, and undoes that", async () => {
    const { page } = await console.open(`${gateway.page}#/servers/faulty`);
    await signIn(page, gateway.token);
    await page.getByRole("button", { name: "Load tools" }).click();
    await page.getByRole("button", { name: "Switch modes of fail" }).first().click();
    const form = page.getByRole("form", { name: "Modes of tool fail" });
    await form.getByLabel("output").selectOption("off");
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText("Saved to the configuration. Now:").waitFor();
    expect(JSON.stringify(gateway.text())).toContain("fail");
    await page.getByText("output off*").first().waitFor();
    await form.getByLabel("output").selectOption("");
    await form.getByRole("button", { name: "Save" }).click();
    await page.getByText("output off*").first().waitFor({ state: "detached" });
  });

  it("keeps an unsaved choice after an earlier one was saved", long, async () => {
    const { page } = await console.open(`${gateway.page}#/servers/faulty`);
    await signIn(page, gateway.token);
    const form = page.getByRole("form", { name: "Modes of server faulty" });
    const output = form.getByLabel("output");
    await output.waitFor();
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/api/v1/servers/faulty", async (route) => {
      await held;
      await route.continue();
    });
    const save = form.getByRole("button", { name: "Save" });
    await output.selectOption("strict");
    await save.click();
    await form.getByText("Saved to the configuration. Now:").waitFor();
    await expect.poll(() => save.isDisabled()).toBe(true);
    await output.selectOption("warn");
    const known = page.waitForResponse("**/api/v1/servers/faulty");
    release();
    await known;
    // The page renders earlier responses before it responds to this.
    await form.getByText("inherit").first().waitFor({ state: "attached" });
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    await expect.poll(() => output.inputValue()).toBe("warn");
    await save.click();
    await expect.poll(() => gateway.text()).toMatch(/"output_validation":\s*\{\s*"mode":\s*"warn"/);
    await expect.poll(() => save.isDisabled()).toBe(true);
    await output.selectOption("");
    await save.click();
    await expect.poll(() => gateway.text()).not.toContain("output_validation");
    await page.unrouteAll({ behavior: "wait" });
  });

  it(
    "shows limits on calls, changes their mode, and links there from a refused call",
    long,
    async () => {
      const text = JSON.stringify({
        policy: { deny_tools: ["fail"] },
        mcpServers: {
          faulty: {
            ...FAULTY,
            touchstone: {
              policy: { allow_tools: ["get_*", "echo", "fail"] },
              limits: { calls_per_minute: 600, result_bytes: 70_000 },
              tools: {
                echo: {
                  narrow: { required: ["text"] },
                  limits: { calls_per_minute: 60, result_bytes: 500 },
                },
              },
            },
          },
        },
      });
      const limited = await console.start(text);
      await callTools(limited, "faulty", [["fail", {}]]);
      const { page, found } = await console.open(`${limited.page}#/activity?status=denied`);
      await page
        .locator('.rows [role="row"]', { hasText: "fail" })
        .first()
        .getByRole("link")
        .click();
      const call = page.getByRole("dialog");
      await call.getByText("deny_tools", { exact: true }).waitFor();
      expect(await call.getByRole("button", { name: "Allow this" }).count()).toBe(0);
      await screenshot(page, "call-policy");
      await call.getByRole("link", { name: "What limits calls of faulty" }).click();
      const card = page.getByRole("region", { name: "Policy" });
      await card.getByText("For all servers").waitFor();
      await card.getByText("get_*").waitFor();
      await card.getByText("60 calls per minute").waitFor();
      await card
        .getByText("For this server: 600 calls per minute, results of up to 70000 bytes")
        .waitFor();
      await card.getByText("results of up to 500 bytes").waitFor();
      await card.getByText("Arguments must also satisfy this schema").click();
      await card.getByText('"required"').waitFor();
      await page
        .getByRole("row", { name: /^fail deny_tools/ })
        .first()
        .waitFor();
      expect(await findings(page)).toEqual([]);
      await screenshot(page, "server-policy");
      await signIn(page, limited.token);
      await page.goto(`${limited.page}#/settings`);
      const mode = page.getByRole("combobox", { name: "Mode of policy" });
      await mode.press("Enter");
      await page.getByRole("option", { name: "warn: record it" }).press("Enter");
      const edit = page.getByRole("dialog", { name: "Mode of policy" });
      await edit.getByText(/"mode": "warn"/).waitFor();
      await edit.getByRole("button", { name: "Save" }).click();
      await page.getByText("Calls that policy forbids are only recorded.").waitFor();
      expect(limited.text()).toMatch(/"deny_tools":\s*\["fail"\],\s*"mode":\s*"warn"/);
      await page.getByRole("button", { name: "Undo" }).click();
      await expect.poll(() => limited.text()).toBe(text);
      // The page shows the current state again.
      await page
        .getByText("Calls that policy forbids are only recorded.")
        .waitFor({ state: "hidden" });
      expect(found).toEqual([]);
    },
  );

  it("lists callers and their permissions, without keys", long, async () => {
    const key = "a-key-of-alice-that-nobody-else-has";
    const keys = [
      {
        name: "alice",
        key,
        tools: ["get_*"],
        read_only: true,
        limits: { calls_per_minute: 60, result_bytes: 9000 },
      },
      { name: "op\u202e", key: `${key}-2`, role: "admin", servers: ["faulty"] },
    ];
    const named = await console.start(
      JSON.stringify({ mcpServers: { faulty: FAULTY }, auth: { keys } }),
    );
    const { page } = await console.open(`${named.page}#/settings`);
    await signIn(page, named.token);
    const card = page.getByRole("region", { name: "Callers", exact: true });
    await card
      .getByRole("row", {
        name: /^alice caller 1 all get_\*, read-only ones 60 calls per minute, results of up to 9000 bytes$/,
      })
      .waitFor();
    await card.getByRole("row", { name: /^op\[U\+202E\] admin 1 faulty all none$/ }).waitFor();
    expect(await findings(page)).toEqual([]);
    expect(await page.content()).not.toContain(key);
    await screenshot(page, "settings-callers");
  });

  it("adds and changes a server without loading its secrets", long, async () => {
    const before = gateway.text();
    const { page, found } = await console.open(`${gateway.page}#/servers`);
    await signIn(page, gateway.token);
    await page.getByRole("button", { name: "Add a server" }).click();
    const form = page.getByRole("dialog", { name: "Add a server" });
    const next = form.getByRole("button", { name: "Show the change" });
    await form.getByText("Enter a name.").waitFor();
    await expect.poll(() => next.isDisabled()).toBe(true);
    await form.getByLabel("Name", { exact: true }).fill("added");
    await form.getByLabel("Command", { exact: true }).fill(FAULTY.command);
    await form.getByLabel("Arguments").fill(FAULTY.args.join("\n"));
    await form.getByRole("button", { name: "Add a variable" }).click();
    await form.getByLabel("Name of variable 1").fill("API_TOKEN");
    await form.getByLabel("Value of variable 1").fill("s3cret-of-the-form");
    expect(await findings(page)).toEqual([]);
    await screenshot(page, "server-add");
    await form.getByLabel("Value of variable 1").press("Enter");
    const change = page.getByRole("dialog", { name: "Add a server" });
    await change.getByText(/^\+.*"added"/).waitFor();
    expect(await change.innerText()).not.toContain("s3cret");
    await change.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "added" }).waitFor();
    const added = gateway.text();
    expect(added).toContain("s3cret-of-the-form");
    await page.getByRole("button", { name: "Load tools" }).click();
    const broken = page.getByRole("region", { name: /schemas? cannot be used/ });
    await broken.getByRole("link", { name: "broken_schema" }).first().waitFor();
    // Fields that are not edited keep their values, which the page never learns.
    await page.getByRole("button", { name: "Edit" }).click();
    const edit = page.getByRole("dialog", { name: "Edit added" });
    await edit.getByText("Nothing has been changed yet.").waitFor();
    await expect.poll(() => edit.getByLabel("Value of variable API_TOKEN").inputValue()).toBe("");
    await edit.getByLabel("Working directory").fill("/");
    // The message about the last change covers the buttons, which are needed next.
    await edit.getByRole("button", { name: "Show the change" }).press("Enter");
    await edit.getByRole("button", { name: "Save" }).press("Enter");
    await edit.waitFor({ state: "detached" });
    expect(gateway.text()).toContain('"cwd": "/"');
    expect(gateway.text()).toContain("s3cret-of-the-form");
    expect(await page.content()).not.toContain("s3cret");
    const undo = page.getByRole("button", { name: "Undo" });
    await undo.first().click();
    await vi.waitUntil(() => gateway.text() === added, { timeout: 20_000 });
    // A message stays in the page until its closing animation ends.
    await undo.nth(1).waitFor({ state: "detached" });
    await undo.click();
    await vi.waitUntil(() => gateway.text() === before, { timeout: 20_000 });
    // The page of the server is requested again, and the browser logs that the server is gone.
    await page.getByRole("alert").getByText("added").waitFor();
    expect(found.filter((line) => !line.includes("status of 404"))).toEqual([]);
  });

  it("shows the entry for each client", long, async () => {
    const { page } = await console.open(`${gateway.page}#/servers/faulty`);
    const card = page.getByRole("region", { name: "Use it in a client" });
    await card.getByText('"type": "http"').waitFor();
    await card.getByRole("combobox", { name: "Client" }).click();
    await page.getByRole("option", { name: "Codex" }).click();
    await card.getByText('[mcp_servers."faulty"]').waitFor();
  });

  it("shows the settings, and changes the modes of everything", async () => {
    const { page, found } = await console.open(`${gateway.page}#/settings`);
    await page.getByRole("heading", { name: "Limits" }).waitFor();
    await page.getByText("touchstone.json").first().waitFor();
    expect(await page.locator("body").innerText()).not.toContain(gateway.token);
    await signIn(page, gateway.token);
    const form = page.getByRole("form", { name: "Modes of the gateway" });
    await form.getByLabel("protocol").selectOption("off");
    await screenshot(page, "settings");
    await form.getByRole("button", { name: "Save" }).focus();
    await page.keyboard.press("Enter");
    await form.getByText("protocol off").waitFor();
    const changes = await gateway.records({ type: "config_change" });
    expect(changes.at(-1)).toMatchObject({ source: "http" });
    expect(found).toEqual([]);
  });

  it("previews, makes and undoes a change to common settings", long, async () => {
    const before = gateway.text();
    const { page, found } = await console.open(`${gateway.page}#/settings`);
    const bodies = page.getByRole("combobox", { name: "Keep arguments and results" });
    await bodies.getByText("arguments of failed calls").waitFor();
    await bodies.click();
    await page.getByRole("option", { name: "all arguments and results" }).click();
    const name = "Keep arguments and results: all arguments and results";
    const dialog = page.getByRole("dialog", { name });
    // A user who may not change anything is asked to sign in, and nothing was written.
    await enterKey(page, gateway.token);
    await dialog.getByText(/^\+.*"bodies": "all"/).waitFor();
    await screenshot(page, "settings-change");
    expect(gateway.text()).toBe(before);
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    await bodies.getByText("all arguments and results").waitFor();
    expect(gateway.text()).toContain('"bodies": "all"');
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Undone").waitFor();
    expect(gateway.text()).toBe(before);
    await page.getByRole("button", { name: "Reload" }).click();
    await bodies.getByText("arguments of failed calls").waitFor();
    // With the keyboard alone; the field accepts only a number.
    const days = page.getByRole("textbox", { name: "Keep records for" });
    const change = page.getByRole("button", { name: "Change activity.retention_days" });
    await days.fill("0");
    await page.getByText("Enter a whole number of at least 1.").waitFor();
    await expect.poll(() => change.isDisabled()).toBe(true);
    await days.fill("14");
    await days.press("Enter");
    await page
      .getByRole("dialog")
      .getByText(/"retention_days": 14/)
      .waitFor();
    await page.keyboard.press("Escape");
    expect(gateway.text()).toBe(before);
    expect(found.filter((line) => !line.includes("401"))).toEqual([]);
  });
});
