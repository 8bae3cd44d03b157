// A step of action.yml: posts the report as one comment on the pull request, and updates it later. If the token may not
// write, it only warns: the job summary has the same report.
import { readFileSync } from "node:fs";

const { env } = process;
const MAX_PAGES = 30;
const note = (level, text) => console.log(`::${level}::${text}`);
/** Marks the comment of this job, so that comments of other jobs can be told apart. */
const marker =
  `<!-- touchstone ${env.GITHUB_WORKFLOW ?? ""}/${env.GITHUB_JOB ?? ""} -->`.replaceAll(
    /[\r\n]/g,
    " ",
  );

async function ask(method, path, body) {
  const response = await fetch(`${env.GITHUB_API_URL}/repos/${env.GITHUB_REPOSITORY}/${path}`, {
    method,
    headers: {
      accept: "application/vnd.github+json",
      authorization: `Bearer ${env.TOKEN}`,
      "content-type": "application/json",
      "x-github-api-version": "2022-11-28",
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  });
  if (!response.ok) throw new Error(`GitHub answered ${method} ${path} with ${response.status}`);
  return response.json();
}

/** Returns the id of the comment from an earlier run. */
async function earlier(number) {
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const comments = await ask("GET", `issues/${number}/comments?per_page=100&page=${page}`);
    // Anybody may write a comment that begins with the marker, so only a bot's counts.
    const own = comments.find(({ body, user }) => user?.type === "Bot" && body?.startsWith(marker));
    if (own !== undefined) return own.id;
    if (comments.length < 100) return undefined;
  }
  return undefined;
}

async function comment() {
  if (env.GITHUB_EVENT_NAME !== "pull_request") return;
  const { pull_request: pull } = JSON.parse(readFileSync(env.GITHUB_EVENT_PATH, "utf8"));
  if (pull.head.repo?.full_name !== pull.base.repo.full_name) {
    note("notice", "This pull request is from a fork: the report is in the summary of the job.");
    return;
  }
  const body = `${marker}\n${readFileSync(env.REPORT, "utf8")}`;
  const text = body.length > 65_000 ? `${body.slice(0, 65_000)}\n\n…` : body;
  const id = await earlier(pull.number);
  if (id === undefined) await ask("POST", `issues/${pull.number}/comments`, { body: text });
  else await ask("PATCH", `issues/comments/${id}`, { body: text });
}

try {
  await comment();
} catch (error) {
  const advice = "the job needs the permission pull-requests: write";
  note(
    "warning",
    `No comment was written: ${error.message}; ${advice}. The summary has the report.`,
  );
}
