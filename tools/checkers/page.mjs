// Writes a run as a page of the reference: docs/reference/checkers.md.
import { escaped, groupsOf, groupTable, notRun, rightOf, row } from "./report.mjs";

/** The columns of the counts. */
const KINDS = "blocked,same,added,changed,lost,hung,ended,not reached,not run".split(",");

/**
 * Counts the outcomes of a checker by what was right: not a score, but figures that a reader can verify in the
 * tables.
 */
function countsOf(cases, { outcomes }) {
  return ["forwarded", "blocked"].map((right) => {
    const counts = new Map(KINDS.map((kind) => [kind, 0]));
    for (const entry of cases.filter((one) => one.right === right)) {
      const { kind = "not run", detail = "" } = outcomes.get(entry.key) ?? {};
      const shown =
        kind === "forwarded" ? (/^(?:added|changed)/.exec(detail)?.[0] ?? "same") : kind;
      counts.set(shown, (counts.get(shown) ?? 0) + 1);
    }
    return [right, counts];
  });
}

/** Returns the page of the reference. */
export function pageOf(cases, checkers, { date, node }) {
  const cell = (entry) => [
    entry.name,
    entry.revision,
    `[${rightOf(entry)}](${entry.section.link})`,
  ];
  const counts = checkers.flatMap((checker) =>
    countsOf(cases, checker).map(([right, map]) =>
      row([checker.title, right, ...KINDS.map((kind) => map.get(kind))]),
    ),
  );
  const differing = cases.filter(({ touchstone }) => touchstone !== undefined);
  return `# What checkers and proxies do with ${cases.length} messages

\`npm run checkers\` measured this on ${date} with Node ${node}, in one run or several. A scripted server and a raw client sent the messages of
[\`tools/checkers/cases\`](https://github.com/touchstone/touchstone/tree/main/tools/checkers/cases) through each program, and compared the bytes at both ends.
[The comparison](../explanation/comparison.md) explains how to run it again.

The tables list facts, not a score: most of these programs connect, route or sign in, and do not claim to check.
The link in the column *right* is the section of the specification that decides.

${row(["program", "version", "client", "server"])}
${row(["---", "---", "---", "---"])}
${checkers.map((one) => row([one.title, one.version, one.client, one.server])).join("\n")}

| outcome | meaning |
| --- | --- |
| blocked | the message did not arrive, and the sender or caller got an error: its code, \`isError\` for a tool's error result, or the HTTP status |
| same bytes | it arrived byte for byte, apart from the id |
| same JSON | it arrived with the same values in another notation |
| added | it arrived with more members, such as \`_meta\` of the program: where |
| changed | it arrived with other values, or without some: the first places |
| lost | it did not arrive, and nobody got an error: the way to block a message that has no response |
| hung | the request never got a response, although the session still worked or was closed after 4 s |
| ended | the program ended |
| not reached | an earlier message of the case did not arrive, so the last one was not sent |

## Counts

${row(["program", "right", ...KINDS])}
${row(["---", "---", ...KINDS.map(() => "---:")])}
${counts.join("\n")}

${
  notRun(cases, checkers).length === 0
    ? ""
    : `## Not run\n\n${notRun(cases, checkers)
        .map((line) => `- ${escaped(line)}`)
        .join("\n")}\n`
}
## Where Touchstone differs on purpose

${differing.map((entry) => `- ${entry.name}, ${entry.revision}: ${entry.touchstone.does} ([why](${entry.touchstone.why}))`).join("\n")}
- Mode \`warn\` forwards what \`strict\` blocks, and records it. Only what cannot be read is blocked.

${groupsOf(cases)
  .map(
    (group) =>
      `## ${group[0].toUpperCase()}${group.slice(1)}\n\n${groupTable(group, cases, checkers, cell)}`,
  )
  .join("\n\n")}
`;
}
