import type { FoundRequest, RequestKey, RequestStore } from "../request-store.ts";
import { storeFault } from "./faults.ts";
import type { ConnectionPool } from "./pool.ts";

const KEEP = `INSERT INTO requests (server, session, id, request, request_id, output)
  SELECT $1, $2, id, request, request_id, output
    FROM unnest($3::text[], $4::text[], $5::text[], $6::text[])
      AS kept (id, request, request_id, output)
  ON CONFLICT (server, session, id) DO UPDATE SET request = excluded.request,
    request_id = excluded.request_id, output = excluded.output, since = now(),
    until = excluded.until
  RETURNING output, output IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM schemas WHERE hash = output) AS missing`;
/** The schemas of kept lists are stored already; an incomplete list has not stored any. */
const KEEP_SCHEMA = `INSERT INTO schemas (hash, text, since) VALUES ($1, $2, $3)
  ON CONFLICT DO NOTHING`;
const ANSWERED = `UPDATE requests SET until = least(until, now() + interval '5 minutes')
  WHERE server = $1 AND session = $2 AND id = $3 AND until > now()`;
const RECORDED =
  "EXISTS (SELECT 1 FROM activity WHERE activity.request_id = $1 AND type = 'tool_call')";
const FIND = `WITH found AS (${ANSWERED} RETURNING request, request_id, output, since)
  SELECT request, request_id, output, text, ${RECORDED.replace("$1", "found.request_id")} AS recorded,
    (extract(epoch FROM now() - found.since) * 1000)::double precision AS elapsed
  FROM found LEFT JOIN schemas ON hash = output`;

interface Row {
  readonly request: string;
  readonly request_id: string | null;
  readonly output: string | null;
  readonly text: Buffer | null;
  readonly recorded: boolean;
  readonly elapsed: number;
}

/** Keeps in the database the requests that another gateway may answer, so that it can check the responses. */
export function createRequestStore({ pool, place }: ConnectionPool, now: () => Date): RequestStore {
  const told = async <T>(doing: "read" | "write", work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw storeFault(error, place, doing);
    }
  };
  const valuesOf = ({ server, session, id }: RequestKey): string[] => [server, session, id];
  return {
    keep: ({ server, session }, requests) =>
      told("write", async () => {
        const all = [...requests.values()];
        const { rows } = await pool.query<{ output: string; missing: boolean }>(KEEP, [
          server,
          session,
          [...requests.keys()],
          all.map(({ request }) => request),
          all.map(({ requestId }) => requestId ?? null),
          all.map(({ output }) => output?.hash ?? null),
        ]);
        const missing = new Set(rows.flatMap(({ output, missing }) => (missing ? output : [])));
        for (const { output } of all) {
          if (output === undefined || !missing.delete(output.hash)) continue;
          const schema = [output.hash, Buffer.from(output.text), now().toISOString()];
          await pool.query(KEEP_SCHEMA, schema);
        }
      }),
    answered: (key) => told("write", async () => void (await pool.query(ANSWERED, valuesOf(key)))),
    find: (key) =>
      told("write", async () => {
        const { rows } = await pool.query<Row>(FIND, valuesOf(key));
        return rows[0] && found(rows[0]);
      }),
    isRecorded: (requestId) =>
      told("read", async () => {
        const select = `SELECT ${RECORDED} AS recorded`;
        const { rows } = await pool.query<Pick<Row, "recorded">>(select, [requestId]);
        return rows[0]?.recorded === true;
      }),
  };
}

/** Returns undefined if the schema for its check is gone. */
function found(row: Row): FoundRequest | undefined {
  const { request, request_id, output, text, recorded, elapsed: elapsedMs } = row;
  const common = { request, requestId: request_id ?? undefined, recorded, elapsedMs };
  if (output === null) return common;
  return text === null ? undefined : { ...common, output: { hash: output, text } };
}
