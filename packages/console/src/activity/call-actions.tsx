import type { ActivityRecord, CallDetail } from "@touchstone/gateway/api";
import {
  Braces,
  CheckCheck,
  ClipboardList,
  Copy,
  Hash,
  Link,
  Play,
  ShieldCheck,
  Terminal,
} from "lucide-react";
import { type ReactElement, useState } from "react";
import { useNeedsKey, usePermission } from "../access/rights.ts";
import { type GatewayApi, messageOf } from "../api/gateway.ts";
import { curlCommand, shellWord } from "../call/curl.ts";
import { type EditAction, EditDialog } from "../page/edit-dialog.tsx";
import { serverToolHash } from "../page/route.ts";
import { Button, ButtonLink } from "../ui/button.tsx";
import { copyText } from "../ui/copy.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { showToast } from "../ui/toast.ts";
import { REFUSED_STATUSES } from "./call.ts";

type Detail = CallDetail & {
  readonly record: ActivityRecord;
  /** Whether the gateway itself serves the server of the call, so that its tools can be called. */
  readonly isServed: boolean;
};

interface Names {
  readonly server: string;
  readonly tool: string;
}

function namesOf({ record }: Detail): Names | undefined {
  const { server, tool } = record;
  return server === null || tool === null ? undefined : { server, tool };
}

/** Returns whether every direction of a call was checked, each in strict. */
function isStrict(records: Detail["records"]): boolean {
  const checks = records.flatMap((record) => record.checks?.split(", ") ?? []);
  return (
    ["input", "output", "protocol"].every((direction) =>
      checks.some((check) => check.startsWith(`${direction} `)),
    ) && checks.every((check) => check.includes(" strict "))
  );
}

/** A configuration change that a call may suggest. To add one, add an entry. */
const EDITS: readonly {
  readonly id: string;
  readonly label: string;
  readonly title: string;
  readonly icon: ReactElement;
  readonly action: (detail: Detail, names: Names) => EditAction | undefined;
}[] = [
  {
    id: "allow",
    label: "Allow this",
    title: "Allow what this call does",
    icon: <CheckCheck aria-hidden="true" />,
    action: ({ records }) => {
      // No rule of a check can allow what policy forbids.
      const found = records.find(({ issues }) => issues.some(({ rule }) => rule !== "policy"));
      return found === undefined ? undefined : { kind: "allow", record: found.id };
    },
  },
  {
    id: "strict",
    label: "Make this tool strict",
    title: "Make this tool strict",
    icon: <ShieldCheck aria-hidden="true" />,
    // Strict mode does not affect calls that were refused before a check, and such calls do not show which mode was
    // set.
    action: ({ call, records }, { server, tool }) =>
      REFUSED_STATUSES.some((status) => status === call?.status) || isStrict(records)
        ? undefined
        : { kind: "strict", server, tool },
  },
];

async function copyFittingSchema(api: GatewayApi, { server, tool }: Names): Promise<void> {
  try {
    const { proposed } = await api.get("getDrift", { server, tool });
    await copyText(JSON.stringify(proposed, null, 2), "a schema that fits");
  } catch (thrown) {
    showToast({ kind: "bad", title: "No schema to copy", text: messageOf(thrown) });
  }
}

/** Shows the actions available for a call. */
export function CallActions({
  api,
  detail,
}: {
  readonly api: GatewayApi;
  readonly detail: Detail;
}): ReactElement | null {
  const [edit, setEdit] = useState<{ readonly title: string; readonly action: EditAction }>();
  const may = usePermission("editConfig");
  const names = namesOf(detail);
  if (names === undefined || detail.call === null) return null;
  const { server, tool } = names;
  const hasOutputIssues = detail.records.some(
    ({ direction, issues }) => direction === "output" && issues.length > 0,
  );
  const tryIt = `${serverToolHash(server, tool)}?call=${encodeURIComponent(detail.call.id)}`;
  return (
    <div className="flex flex-wrap gap-2 border-b border-line px-4 py-2.5">
      {EDITS.map(({ id, label, title, icon, action }) => {
        const wanted = action(detail, names);
        if (wanted === undefined) return null;
        return (
          <Button
            key={id}
            size="sm"
            disabled={!may.isOffered}
            title={may.reason}
            onClick={() => may.run(() => setEdit({ title, action: wanted }))}
          >
            {icon}
            {label}
          </Button>
        );
      })}
      {detail.isServed && (
        <ButtonLink size="sm" href={api.address(tryIt)}>
          <Play aria-hidden="true" />
          Open in Try-It
        </ButtonLink>
      )}
      {hasOutputIssues && (
        <Button size="sm" onClick={() => void copyFittingSchema(api, names)}>
          <Braces aria-hidden="true" />
          Copy a schema that fits
        </Button>
      )}
      {edit !== undefined && <EditDialog api={api} {...edit} onClose={() => setEdit(undefined)} />}
    </div>
  );
}

const COPY = (
  <>
    <Copy aria-hidden="true" />
    Copy
  </>
);

/** Copies a call in a chosen format, to share it. */
export function CopyMenu({
  api,
  detail,
}: {
  readonly api: GatewayApi;
  /** Absent until it has loaded. */
  readonly detail: Detail | undefined;
}): ReactElement {
  const needsKey = useNeedsKey();
  if (detail === undefined) {
    return (
      <Button size="sm" disabled>
        {COPY}
      </Button>
    );
  }
  const names = namesOf(detail);
  const { record, records } = detail;
  const sent = records.map((each) => each.arguments).find((text) => text !== undefined) ?? "{}";
  const whole = async (): Promise<void> => {
    try {
      const all = await Promise.all(records.map(({ id }) => api.get("getActivityRecord", { id })));
      await copyText(JSON.stringify(all.length === 1 ? all[0] : all, null, 2), "JSON");
    } catch (thrown) {
      showToast({ kind: "bad", title: "Could not copy JSON", text: messageOf(thrown) });
    }
  };
  return (
    <Menu trigger={<Button size="sm">{COPY}</Button>}>
      <MenuItem onSelect={() => void whole()}>
        <ClipboardList aria-hidden="true" />
        JSON
      </MenuItem>
      <MenuItem onSelect={() => void copyText(record.id, "the id")}>
        <Hash aria-hidden="true" />
        Id
      </MenuItem>
      <MenuItem onSelect={() => void copyText(location.href, "the link")}>
        <Link aria-hidden="true" />
        Link
      </MenuItem>
      {names !== undefined && detail.isServed && (
        <>
          <MenuItem
            onSelect={() => {
              const path = `servers/${encodeURIComponent(names.server)}/tools/${encodeURIComponent(names.tool)}/call`;
              const url = api.address(path);
              void copyText(curlCommand({ url, body: sent, needsKey }), "cURL");
            }}
          >
            <Terminal aria-hidden="true" />
            cURL
          </MenuItem>
          <MenuItem
            onSelect={() => {
              const words = [names.server, names.tool, sent].map(shellWord).join(" ");
              void copyText(`touchstone call --config touchstone.json ${words}`, "the command");
            }}
          >
            <Terminal aria-hidden="true" />
            touchstone call
          </MenuItem>
        </>
      )}
    </Menu>
  );
}
