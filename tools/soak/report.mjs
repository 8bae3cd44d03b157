const pairs = (counts) =>
  Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ");
const mb = (bytes) => `${(bytes / 1e6).toFixed(1)}`;

function usageRows({ before, after }) {
  const titles = ["", "heap MB", "RSS MB", "descriptors", "children", "longest stall ms"];
  const rows = Object.keys(after).map((name) => {
    const [then, now] = [before[name], after[name]];
    const change = (of) => `${of(then)} → ${of(now)}`;
    return [
      name,
      change(({ heapUsed }) => mb(heapUsed)),
      change(({ rss }) => mb(rss)),
      change(({ open }) => open ?? "?"),
      change(({ children }) => children),
      now.longestMs.toFixed(0),
    ];
  });
  const all = [titles, ...rows];
  const widths = titles.map((_, at) => Math.max(...all.map((row) => String(row[at]).length)));
  return all.map((row) => `  ${row.map((cell, at) => String(cell).padEnd(widths[at])).join("  ")}`);
}

/** Returns a soak's result as text for people. */
export function reportText(result) {
  const { seconds, seed, rate, sent, warm, records, read, faults } = result;
  const kinds = Object.keys(result.counts).length;
  return [
    `${seconds} s, seed ${seed}, ${rate} actions a second wanted.`,
    `sent ${sent} requests (${warm} before the first measure): ${pairs(result.ended)}`,
    `actions: ${pairs(result.actions)}`,
    `besides: ${pairs(result.disturbances)}`,
    `read: ${read.pages} pages, ${read.events} live events over ${read.connections} connections`,
    `records: ${records.all}, ${records.linked} of calls that were sent, ${records.loose} decisions about others`,
    `chains: ${records.verified.split("\n").at(-1)}`,
    "in use before → after, idle and collected:",
    ...usageRows(result.usage),
    `processes in all: ${result.processes.before} → ${result.processes.after}`,
    faults.length === 0
      ? "all accounted for"
      : `${kinds} kinds of fault: ${pairs(result.counts)}; the first ${faults.length}:`,
    ...faults.map(({ rule, detail }) => `  ${rule}: ${detail}`),
  ].join("\n");
}
