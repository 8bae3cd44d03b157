import {
  type ColumnDef,
  createColumnHelper,
  type TableFeatures,
  tableFeatures,
} from "@tanstack/react-table";
import type { ReactElement } from "react";
import { Shown } from "../page/shown.tsx";
import { durationText } from "../text/duration.ts";
import { StateBadge } from "../ui/badge.tsx";
import type { ActivityRecord } from "./record.ts";

/** Of the table library only columns and rows are used: filters are the gateway's. */
export const features: TableFeatures = tableFeatures({});

/** Longest text of a cell; the whole of it is in the record. */
const MAX_CELL = 300;

const WORDS: Readonly<Record<string, string>> = {
  tool_call: "call",
  policy_decision: "decision",
  schema_change: "schema change",
  server_change: "server change",
  config_change: "config change",
  system_start: "start",
  system_stop: "stop",
};

/** The type of a record in words. */
export function typeWord(type: string): string {
  return Object.hasOwn(WORDS, type) ? (WORDS[type] ?? type) : type;
}

function Text({ text }: { readonly text: string | null }): ReactElement | null {
  return text === null ? null : <Shown text={text.slice(0, MAX_CELL)} />;
}

const helper = createColumnHelper<TableFeatures, ActivityRecord>();

/** What a row shows beside its time, which is its link. */
export const columns: readonly ColumnDef<TableFeatures, ActivityRecord>[] = helper.columns([
  helper.accessor("type", {
    header: "Type",
    cell: ({ getValue }) => <Text text={typeWord(getValue())} />,
  }),
  helper.accessor("server", {
    header: "Server",
    cell: ({ getValue }) => <Text text={getValue()} />,
  }),
  helper.accessor("tool", { header: "Tool", cell: ({ getValue }) => <Text text={getValue()} /> }),
  helper.accessor("status", {
    header: "Status",
    cell: ({ getValue }) => {
      const status = getValue();
      return status === null ? null : <StateBadge state={status} />;
    },
  }),
  helper.accessor("direction", {
    header: "Direction",
    cell: ({ getValue }) => <Text text={getValue()} />,
  }),
  helper.accessor("reason", {
    header: "Reason",
    cell: ({ getValue }) => <Text text={getValue()} />,
  }),
  helper.accessor("duration_ms", {
    header: "Took",
    cell: ({ getValue }) => {
      const took = getValue();
      return took === null ? null : durationText(took);
    },
  }),
]);
