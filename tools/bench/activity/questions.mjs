// Measures the cost of queries over the records, compared with the cheapest of them.
import { activityApi, openPlace } from "@touchstone/gateway/activity";
import { median, table } from "../timing.mjs";

const NOBODY = `sha256:${"0".repeat(64)}`;
const LISTS = [
  "?limit=50",
  "?type=tool_call",
  "?type=policy_decision",
  "?type=schema_change",
  "?server=server-1",
  "?tool=tool-5",
  "?server=server-1&tool=tool-5",
  "?server=server-1&tool=tool-6",
  "?status=error",
  "?status=blocked",
  "?decision=warning",
  "?direction=input&server=server-2",
  "?since=24h",
  "?since=7d&status=error",
  "?until=20d",
  "?since=20d&until=19d&tool=tool-3",
  `?session=${NOBODY}`,
  "?request=r500000",
];
const CALLS = [
  "/calls",
  "/calls?server=server-1&status=error",
  "/calls?q=tool-5",
  "/calls?q=nothing+has+this",
  "/calls?client=bench%2F1.0",
  "/calls?client=nobody",
  "/calls?rule=extra",
  "/calls?status=error&q=nothing",
  "/histogram?since=1h",
  "/histogram?since=24h",
  "/histogram?since=30d",
  "/histogram?since=30d&q=tool-5",
  "/values",
  "/overview?period=1h",
  "/overview?period=24h",
  "/overview?period=7d",
  "/sessions",
  "/sessions?period=24h&sort=blocked",
  "/callers",
  "/callers?period=24h&q=1",
];
const REPORTS = ["/summary?period=24h", "/summary", "/rollout"];

/** Returns the query that a path below `/api/v1/activity` requests. */
function questionOf(path) {
  const [, operation = "list", search] = /^(?:\/(\w+))?(.*)$/.exec(path);
  return { operation, input: Object.fromEntries(new URLSearchParams(search)) };
}

/** Prints the median time of each query at a place: `{ dataDir }` or `{ url }` of PostgreSQL. */
export async function measureQuestions(place) {
  const reader = await openPlace(place).reader();
  const api = activityApi(reader);
  const cost = async (question, rounds) => {
    const times = [];
    for (let round = 0; round < rounds; round += 1) {
      const started = performance.now();
      await (await api(question)).text();
      times.push(performance.now() - started);
    }
    return median(times);
  };
  const { records } = await reader.usage();
  const { activities } = await reader.list({ limit: 1, offset: Math.floor(records / 2) });
  const lookUp = await cost({ operation: "get", input: { id: activities[0].id } }, 200);
  const rows = [["look-up by id", lookUp.toFixed(3), "1"]];
  for (const [paths, rounds] of [
    [LISTS, 15],
    [CALLS, 9],
    [REPORTS, 3],
  ]) {
    for (const path of paths) {
      const time = await cost(questionOf(path), rounds);
      rows.push([path, time.toFixed(3), (time / lookUp).toFixed(1)]);
    }
  }
  await reader.close();
  table(["question", "median ms", "÷ look-up by id"], rows);
}
