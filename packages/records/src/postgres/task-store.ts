import type { StoredUnknownReason, TaskStore } from "../task-store.ts";
import { storeFault } from "./faults.ts";
import type { ConnectionPool } from "./pool.ts";

const KEEP = `INSERT INTO tasks (server, task, tool, request_id, output_schema, known, gap)
  VALUES ($1, $2, $3, $4, $5, $6, $7)
  ON CONFLICT (server, task) DO UPDATE SET tool = excluded.tool,
    request_id = excluded.request_id, output_schema = excluded.output_schema,
    known = excluded.known, gap = excluded.gap, since = now()`;
const FIND = `SELECT tool, request_id, output_schema, known, gap FROM tasks
  WHERE server = $1 AND task = $2`;

interface Row {
  readonly tool: string;
  readonly request_id: string;
  readonly output_schema: Buffer | null;
  readonly known: boolean;
  /** JSON text. */
  readonly gap: string | null;
}

/** Keeps in the database the call that made a task, so that every gateway can check the task's result. */
export function createTaskStore({ pool, place }: ConnectionPool): TaskStore {
  return {
    async keep(server, key, { tool, requestId, outputSchema, known, gap }) {
      const schema = outputSchema === undefined ? null : Buffer.from(outputSchema);
      const why = gap === undefined ? null : JSON.stringify(gap);
      try {
        await pool.query(KEEP, [server, key, tool, requestId, schema, known, why]);
      } catch (error) {
        throw storeFault(error, place, "write");
      }
    },
    async find(server, key) {
      try {
        const { rows } = await pool.query<Row>(FIND, [server, key]);
        const [row] = rows;
        if (row === undefined) return undefined;
        const { tool, request_id: requestId, output_schema: outputSchema, known, gap } = row;
        const why = gap === null ? {} : { gap: JSON.parse(gap) as StoredUnknownReason };
        return { tool, requestId, outputSchema: outputSchema ?? undefined, known, ...why };
      } catch (error) {
        throw storeFault(error, place, "read");
      }
    },
  };
}
