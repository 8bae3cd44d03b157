// Writes the page of the survey: facts of each server, no scores.
import { PROVIDERS } from "@touchstone/protocol/lint";
import { cell } from "../docs/cell.mjs";

const SEVERITIES = [
  ["error", "errors"],
  ["warning", "warnings"],
  ["info", "notes"],
];

/** Returns the page. `found` has one entry for each server, `about` when and with what it was made. */
export function pageOf(found, about) {
  const started = found.filter(({ tools }) => tools !== undefined);
  const others = found.filter(({ tools }) => tools === undefined);
  return `${head(found, started, about)}
${table(started)}
${rulesTable(started)}
## Servers without a row

${others.length === 0 ? "All servers were installed and listed their tools." : reasons(others)}
${method(started, about)}`;
}

const sum = (rows, of) => rows.reduce((total, row) => total + of(row), 0);
const count = (rows, holds) => rows.filter(holds).length;
const ofSeverity = ({ rules }, severity) =>
  Object.entries(rules).reduce(
    (n, [key, times]) => n + (key.startsWith(`${severity} `) ? times : 0),
    0,
  );

function head(found, started, { date, version, node }) {
  const npm = count(started, ({ server }) => server.registry === "npm");
  const tools = sum(started, (row) => row.tools);
  const open = sum(started, (row) => row.open);
  const refused = count(started, ({ refusedBy }) => refusedBy.some(isUsual));
  const withErrors = count(started, (row) => ofSeverity(row, "error") > 0);
  return `# Survey of published servers

What Touchstone ${version} found in servers of npm and PyPI on ${date}, with Node.js ${node}. \`npm run survey\` wrote this page.
These are facts about one version of each server, and no scores.

- **${started.length} of ${found.length} servers** (${npm} of npm, ${started.length - npm} of PyPI) listed ${tools} tools; ${sum(started, (row) => row.outputs)} of these declare an output schema.
- **${open} of ${tools} tools** declare some arguments and accept any others, so that a misspelled name is not an error to the server.
- **${refused} of ${started.length} servers** have a tool that at least one client or provider refuses, not counting \`openai-strict\`, which
  is for schemas that are written for it.
- **${withErrors} of ${started.length} servers** have an error that [\`check\`](checks.md) reports.
- ${sum(started, (row) => row.calls)} calls of tools that declare \`readOnlyHint: true\` got ${sum(started, (row) => row.errors)} errors and ${sum(started, (row) => row.violations)} results that do not match the tool's output schema.
`;
}

const isUsual = (name) => name !== "openai-strict";

function table(rows) {
  const lines = rows.map((row) => {
    const { server, tools, outputs, open, calls, errors, violations, refusedBy } = row;
    const severities = SEVERITIES.map(([severity]) => ofSeverity(row, severity));
    const cells = [
      `\`${server.name}\` ${server.version}`,
      ...[tools, outputs, open, ...severities, calls, errors, violations],
      refusedBy.length === PROVIDERS.length ? "all" : refusedBy.join(", "),
    ];
    return `| ${cells.map(cell).join(" | ")} |`;
  });
  return `## Servers

| server | tools | with output schema | open to undeclared arguments | errors | warnings | notes | calls | error results | results that are a violation | refused by |
|---|---|---|---|---|---|---|---|---|---|---|
${lines.join("\n")}
`;
}

function rulesTable(rows) {
  const totals = new Map();
  for (const { rules } of rows) {
    for (const [key, times] of Object.entries(rules)) {
      const { findings = 0, servers = 0 } = totals.get(key) ?? {};
      totals.set(key, { findings: findings + times, servers: servers + 1 });
    }
  }
  const lines = SEVERITIES.flatMap(([severity, plural]) =>
    [...totals]
      .filter(([key]) => key.startsWith(`${severity} `))
      .sort(([, a], [, b]) => b.servers - a.servers || b.findings - a.findings)
      .map(([key, { findings, servers }]) => {
        const rule = key.slice(severity.length + 1);
        return `| \`${rule}\` | ${plural} | ${findings} | ${servers} |`;
      }),
  );
  const refusing = PROVIDERS.map((name) => {
    const servers = count(rows, ({ refusedBy }) => refusedBy.includes(name));
    return `| \`${name}\` | ${servers} |`;
  });
  return `## Findings by kind

| finding of \`check\` | counted as | findings | servers |
|---|---|---|---|
${lines.join("\n")}

| client or provider | servers with a tool that it refuses |
|---|---|
${refusing.join("\n")}
`;
}

function reasons(others) {
  const lines = others.map(({ server, failed, notInstalled }) => {
    const why =
      notInstalled === undefined
        ? `did not list tools: ${failed}`
        : `not installed: ${notInstalled}`;
    return `| \`${server.name}\` ${server.version} | ${cell(plain(why))} |`;
  });
  return `${others.length} of the servers that were tried. Several need a network, an account or a program to start.

| server | reason |
|---|---|
${lines.join("\n")}
`;
}

/** The words of a server, without what Markdown or HTML would read. */
function plain(text) {
  return text
    .replace(/[^\x20-\x7e]/g, " ")
    .replace(/[<>`*_[\]\\]/g, " ")
    .replace(/ +/g, " ")
    .trim()
    .slice(0, 120);
}

function method(started, { seconds, isOffline }) {
  const unlooked = `${sum(started, (row) => row.uncalled)} of ${sum(started, (row) => row.readOnly)}`;
  const network = isOffline
    ? "Each server ran in a network namespace that has only a loopback interface"
    : "Servers had the network of this machine, because it cannot start a program without one";
  return `
## How it was made

<!-- not run: it installs packages and takes half an hour -->
\`\`\`sh
npm run survey -- --folder /tmp/survey
\`\`\`

- \`tools/survey/servers.json\` names the servers, their versions and arguments. They were chosen because they list their tools without a
  network and an account, so they are not a random sample. 18 servers of PyPI are
  missing, because their installation took longer than three minutes. Variables that a server needs have made-up values.
- Packages are installed into a folder of their own. Scripts of npm packages do not run.
- ${network}, behind \`touchstone wrap --preset observe\`. A server had ${seconds} s for everything.
- Columns: *errors*, *warnings* and *notes* are what \`touchstone check\` reports for MCP 2025-11-25. *Refused by* names what
  \`touchstone lint\` reports as refused for at least one tool: [clients and providers](providers.md).
- Only tools that declare \`readOnlyHint: true\` were called, with up to 2 generated values each that their input schema accepts. An error
  result is not a finding: without a network and an account, most calls fail, and error results are not checked. So the last figure
  rests on the other results only.
- ${unlooked} read-only tools were not called: no value was found for them, or the time had passed.
- Not looked at: calls of other tools, prompts, resources, HTTP, and what a server does with a network.
`;
}
