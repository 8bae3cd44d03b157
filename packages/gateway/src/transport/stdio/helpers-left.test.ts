import { expect, it, onTestFinished } from "vitest";
import { split } from "../../../../core/src/testing/sample.ts";
import { processStat } from "../../../../util/src/process-stat.ts";
import { LineLog } from "../../testing/line-log.ts";
import { ChildLink } from "./child.ts";

/** A server that ends with its stdin, after a line on it, or never. */
const SERVER = `process.stdin.on("end", () => process.exit(0)).on("data", () => process.exit(7));`;
const STAYS = "setInterval(() => {}, 60000)";
const DEAF = `process.on("SIGTERM", () => {}); console.log(process.pid); ${STAYS}`;

/** Code of a server that starts a helper, and prints its id. */
function starting(options: object, helper = STAYS): readonly string[] {
  const code = `const { spawn } = require("node:child_process");
    const helper = spawn(process.execPath, ["-e", ${JSON.stringify(helper)}], ${JSON.stringify(options)});
    ${helper === STAYS ? "console.log(helper.pid);" : ""} ${SERVER}`;
  return [process.execPath, "-e", code];
}

const shell = (script: string): readonly string[] => ["sh", "-c", script, process.execPath];
const JOB = "sleep 60 & echo $!;";

/** Commands that print the id of a helper, which outlives the server. */
const HELPERS: Readonly<Record<string, readonly string[]>> = {
  "without pipes": starting({ stdio: "ignore" }),
  "with stdout and stderr": starting({ stdio: ["ignore", "inherit", "inherit"] }),
  "with stderr only": starting({ stdio: ["ignore", "ignore", "inherit"] }),
  "with stdin": starting({ stdio: ["inherit", "ignore", "ignore"] }),
  "that ignores SIGTERM": starting({ stdio: "inherit" }, DEAF),
  "of a shell that becomes the server": shell(`${JOB} exec "$0" -e '${SERVER}'`),
  "of a shell that stays": shell(`${JOB} "$0" -e '${SERVER}'`),
  "of a shell in a shell": shell(`sh -c '${JOB} true'; exec "$0" -e '${SERVER}'`),
  "started by one that has left": shell(`(sleep 60 & echo $!) ; exec "$0" -e '${SERVER}'`),
};

function start([command = "", ...args]: readonly string[], frames: LineLog = new LineLog()) {
  const link = new ChildLink(
    {
      ...{ command, args, env: { PATH: process.env["PATH"] ?? "" }, maxFrameBytes: 65_536 },
      stderr: () => {},
    },
    { frame: (bytes) => frames.add(Buffer.from(bytes).toString()), oversize: () => {} },
  );
  void link.ended.then(() => frames.end());
  const helper = frames.find((line) => /^\d+$/.test(line)).then(Number);
  onTestFinished(() => link.abandon());
  return { link, helper };
}

const IS_POSIX = process.platform !== "win32";

/** The ways in which a server ends, with its exit status. */
const ENDS: Readonly<Record<string, (link: ChildLink) => unknown>> = {
  "its client leaves": () => {},
  "it ends by itself": (link) => link.send(Buffer.from("{}")),
  "it is killed": (link) => process.kill(link.pid ?? 0, "SIGKILL"),
};

const PAIRS = Object.keys(HELPERS).flatMap((helper, row) =>
  // Tests each helper with one way to end, in turn, so that all of them occur.
  Object.keys(ENDS)
    .filter((_, column) => column === 0 || column === 1 + (row % 2))
    .map((end) => [helper, end] as const),
);

// `npm test` runs each way to end once.
for (const [pairs, options] of split(PAIRS, (_, index) => [0, 1, 3].includes(index))) {
  it.runIf(IS_POSIX).each(pairs)("ends a helper %s when %s", options, async (which, how) => {
    const { link, helper } = start(HELPERS[which] ?? []);
    const pid = await helper;
    expect(processStat(pid)).toBeDefined();
    const end = ENDS[how]?.(link);
    if (how !== "its client leaves") await link.ended;
    await end;
    await link.close();
    expect(processStat(pid)).toBeUndefined();
  });
}

it.runIf(IS_POSIX)(
  "ends a helper in a process group of its own when its client leaves",
  async () => {
    const { link, helper } = start(starting({ stdio: "ignore", detached: true }));
    const pid = await helper;
    await link.close();
    expect(processStat(pid)).toBeUndefined();
  },
);

it.runIf(IS_POSIX)("passes on the last lines that a helper forwards", async () => {
  const frames = new LineLog();
  const code = `process.stdin.on("end", () => { console.log("last"); }).resume()`;
  const { link } = start(shell(`echo 0; exec "$0" -e '${code}' | { cat; echo end; }`), frames);
  await frames.find((line) => line === "0");
  await link.close();
  expect(frames.lines).toEqual(["0", "last", "end"]);
});
