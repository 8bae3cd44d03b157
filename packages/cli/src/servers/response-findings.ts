import { type Issue, issueClause } from "@touchstone/core/advanced";
import { type Frame, judgeMessage, type Revision } from "@touchstone/protocol/advanced";
import type { Level, ReportFinding } from "../findings/finding.ts";

/** The rules for findings about a server as a whole rather than one of its tools. */
export type ServerRule =
  | "initialize-result"
  | "discover-result"
  | "list-result"
  | "response-id"
  | "json-rpc"
  | "stdout";

const RULES: ReadonlyMap<string, ServerRule> = new Map([
  ["initialize", "initialize-result"],
  ["server/discover", "discover-result"],
  ["tools/list", "list-result"],
]);

/**
 * Members of the result of `server/discover` that SDK clients accept as missing, although the specification requires
 * them. Tested with @modelcontextprotocol/client 2.4.0, which refuses the same faults in `tools/list`.
 */
const LENIENT = /^\/result\/(?:resultType|ttlMs|cacheScope|_meta\/.*)$/;

const REFUSED = "SDK clients refuse the whole response";
const NO_TYPE =
  "the specification requires it; clients must take the result as complete, but that of SDK 2.4 refuses it";
const DEMANDED = "the specification requires it, although SDK clients work without it";

function remedy({ keyword, params }: Issue): string {
  if (keyword === "required") return "Add it.";
  if (params?.["received"] === "array" && params["type"] === "object") {
    return "Write {} for an object without members; PHP needs (object) [] for that.";
  }
  if (params?.["received"] === "null") return "Leave the member out instead of setting it to null.";
  return "Write what the specification defines for this member.";
}

/**
 * Returns the faults in the response to `initialize`, `server/discover` or `tools/list`, apart from faults of single
 * tools.
 */
export function answerFindings(
  frame: Frame,
  method: string,
  revisions: readonly Revision[],
): readonly ReportFinding[] {
  const found = new Map<string, ReportFinding>();
  const said = new Set(frame.faults.map(({ path }) => path));
  for (const revision of revisions) {
    const { errors, warnings } = judgeMessage(frame, {
      revision,
      sender: "server",
      requestMethod: method,
      maxBytes: frame.bytes.length,
    });
    for (const issue of [...warnings, ...errors]) {
      const { path, rule } = issue;
      if (said.has(path) || found.has(path)) continue;
      const isTaken = method === "server/discover" && LENIENT.test(path);
      const isLenient = rule === "duplicate" || isTaken || warnings.includes(issue);
      const effect = isTaken || rule === "duplicate" ? DEMANDED : isLenient ? NO_TYPE : REFUSED;
      found.set(path, {
        rule: RULES.get(method) ?? "json-rpc",
        level: isLenient ? "warning" : "error",
        subject: method,
        path,
        message: `${issueClause(issue).predicate}; ${effect}`,
        fix: remedy(issue),
      });
    }
  }
  return [...found.values()];
}

/** Returns violations of JSON-RPC in a response that could be read anyway. */
export function envelopeFindings(
  { faults, kind }: Frame,
  method: string,
): readonly ReportFinding[] {
  return faults
    .filter(({ path }) => path !== "/id" && !(kind === "error" && path.startsWith("/error")))
    .map(
      ({ path, message }): ReportFinding => ({
        rule: "json-rpc",
        level: "error",
        subject: method,
        path,
        message: `${message}; SDK clients do not take this for a response`,
        fix: "Write the message as JSON-RPC 2.0 defines it.",
      }),
    );
}

/** Returns the finding for a response whose id does not match the request. */
export function idFinding(frame: Frame, method: string, id: number): ReportFinding {
  const { id: given } = frame;
  const got = given === undefined ? "has no id" : `has the id ${given.slice(0, 80)}`;
  return {
    rule: "response-id",
    level: "error",
    subject: method,
    path: "/id",
    message: `the response ${got} instead of ${id}; SDK clients do not match it with the request and wait until they time out`,
    fix: "Repeat the id of the request as it is: the same value of the same JSON type.",
  };
}

/** Returns a finding about a server as a whole. */
export function serverFinding(
  given: Pick<ReportFinding, "message" | "subject"> & {
    readonly rule: ServerRule;
    readonly fix: string;
    readonly path?: string;
    readonly level?: Level;
  },
): ReportFinding {
  return { path: "", level: "error", ...given };
}
