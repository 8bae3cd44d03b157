// `npm run docs:recording`: runs the demo and writes what it printed to docs/images/demo.svg, as a picture in which the lines
// appear one after the other.
import "../help.mjs";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const TOUCHSTONE = here("../../packages/cli/bin/touchstone.js");
const COLUMNS = 92;
const LINE = 18;
const CHARACTER = 7.8;
const PADDING = 16;
/** Seconds between two lines, and after the last one. */
const STEP = 0.35;
const PAUSE = 6;

const { stdout } = await promisify(execFile)(process.execPath, [TOUCHSTONE, "demo", "--once"], {
  env: { ...process.env, NO_COLOR: "1" },
});
// Times differ from run to run.
const printed = stdout
  .replace(/ in \d+\.\d s$/m, "")
  .trimEnd()
  .split("\n");
const lines = ["$ touchstone demo --once", ...printed.flatMap((line) => folded(line, COLUMNS))];
writeFileSync(here("../../docs/images/demo.svg"), picture(lines));

/** Returns a line in pieces of at most `width` characters, broken at spaces and indented as it is. */
function folded(line, width) {
  if (line.length <= width) return [line];
  const [indent] = line.match(/^ */);
  const at = line.lastIndexOf(" ", width);
  const cut = at > indent.length ? at : width;
  return [line.slice(0, cut), ...folded(`${indent}  ${line.slice(cut).trimStart()}`, width)];
}

function picture(texts) {
  const total = texts.length * STEP + PAUSE;
  const width = Math.round(COLUMNS * CHARACTER + 2 * PADDING);
  const height = texts.length * LINE + 2 * PADDING;
  const rows = texts.flatMap((text, index) => {
    if (text === "") return [];
    const from = ((index * STEP) / total) * 100;
    return [
      `<style>@keyframes l${index}{0%,${from.toFixed(2)}%{opacity:0}${(from + 0.01).toFixed(2)}%,100%{opacity:1}}</style>`,
      `<text x="${PADDING}" y="${PADDING + LINE * (index + 0.75)}" class="${toneOf(text)}" style="animation:l${index} ${total.toFixed(2)}s infinite">${escaped(text)}</text>`,
    ];
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="The output of touchstone demo">
<style>
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#d7dce2;white-space:pre}
.command{fill:#fff;font-weight:600}.bad{fill:#ff8f86}.good{fill:#7ee2a8}.title{fill:#fff;font-weight:600}
@media (prefers-reduced-motion:reduce){text{animation:none!important}}
</style>
<rect width="100%" height="100%" rx="8" fill="#15191e"/>
${rows.join("\n")}
</svg>
`;
}

/** Returns the tone of a line: an error, a success, or a heading. */
function toneOf(text) {
  if (text.startsWith("$")) return "command";
  if (/^ {4}(?:-|The call)/.test(text)) return "bad";
  if (/agent read {3}/.test(text)) return "good";
  return /^\S/.test(text) ? "title" : "plain";
}

function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
