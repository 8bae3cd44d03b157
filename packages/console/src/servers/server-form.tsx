import { Plus, Trash2, Undo2 } from "lucide-react";
import { type ReactElement, type ReactNode, useId, useRef, useState } from "react";
import type { GatewayApi } from "../api/gateway.ts";
import { type EditAction, EditDialog } from "../page/edit-dialog.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { Input } from "../ui/field.tsx";
import {
  draftChanges,
  draftProblem,
  NEW_SERVER,
  type PairDraft,
  type ServerDraft,
} from "./server-edit.ts";

const UNCHANGED = "unchanged";

function Labelled({
  label,
  help,
  children,
}: {
  readonly label: string;
  readonly help?: string;
  readonly children: (id: string, helpId: string | undefined) => ReactNode;
}): ReactElement {
  const id = useId();
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {children(id, help === undefined ? undefined : `${id}-help`)}
      {help !== undefined && (
        <small id={`${id}-help`} className="text-soft">
          {help}
        </small>
      )}
    </div>
  );
}

/** Edits a server's variables or headers. Their values can be written, but never read. */
function Pairs({
  noun,
  pairs,
  onChange,
}: {
  readonly noun: "variable" | "header";
  readonly pairs: readonly PairDraft[];
  readonly onChange: (pairs: readonly PairDraft[]) => void;
}): ReactElement {
  const add = useRef<HTMLButtonElement>(null);
  const put = (index: number, change: Partial<PairDraft>): void =>
    onChange(pairs.map((pair, at) => (at === index ? { ...pair, ...change } : pair)));
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium">
        {noun === "variable" ? "Environment variables" : "Headers"}
      </legend>
      {pairs.map(({ name, value, isKnown, isRemoved }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: names are typed, and can be the same for a while
        <div key={index} className="flex flex-wrap items-center gap-2">
          {isKnown ? (
            <span
              className={`min-w-0 flex-1 basis-40 font-mono text-[0.8125rem] wrap-anywhere ${isRemoved ? "line-through" : ""}`}
            >
              <ExternalText text={name} />
            </span>
          ) : (
            <Input
              className="flex-1 basis-40 font-mono"
              // The field is there because the user wants to type in it.
              autoFocus
              aria-label={`Name of ${noun} ${index + 1}`}
              value={name}
              placeholder="NAME"
              onChange={(event) => put(index, { name: event.target.value })}
            />
          )}
          <Input
            className="flex-1 basis-40"
            type="password"
            aria-label={`Value of ${noun} ${isKnown ? name : index + 1}`}
            value={value}
            disabled={isRemoved}
            placeholder={isKnown ? UNCHANGED : "value"}
            autoComplete="new-password"
            onChange={(event) => put(index, { value: event.target.value })}
          />
          <Button
            size="icon"
            variant="quiet"
            aria-label={`${isRemoved ? "Keep" : "Remove"} ${noun} ${isKnown ? name : index + 1}`}
            onClick={() => {
              if (isKnown) put(index, { isRemoved: !isRemoved, value: "" });
              else {
                add.current?.focus();
                onChange(pairs.filter((_, at) => at !== index));
              }
            }}
          >
            {isRemoved ? <Undo2 aria-hidden="true" /> : <Trash2 aria-hidden="true" />}
          </Button>
        </div>
      ))}
      <div>
        <Button
          ref={add}
          size="sm"
          onClick={() =>
            onChange([...pairs, { name: "", value: "", isKnown: false, isRemoved: false }])
          }
        >
          <Plus aria-hidden="true" />
          Add a {noun}
        </Button>
      </div>
    </fieldset>
  );
}

interface Props {
  readonly api: GatewayApi;
  /** The server to edit; a new one if absent. */
  readonly draft?: ServerDraft;
  readonly onClose: () => void;
  readonly onWritten: (name: string) => void;
}

/** Adds a server to the configuration, or changes one. Shows the change as a diff first. */
export function ServerForm({ api, draft: given, onClose, onWritten }: Props): ReactElement {
  const isNew = given === undefined;
  const [draft, setDraft] = useState(given ?? NEW_SERVER);
  const [action, setAction] = useState<EditAction>();
  const id = useId();
  const set = (change: Partial<ServerDraft>): void => setDraft({ ...draft, ...change });
  const problem = draftProblem(draft, isNew);
  const { kind, name } = draft;
  const title = isNew ? "Add a server" : `Edit ${name}`;
  if (action !== undefined) {
    return (
      <EditDialog
        api={api}
        title={<ExternalText text={title} />}
        action={action}
        onClose={() => setAction(undefined)}
        onWritten={() => {
          onWritten(name.trim());
          onClose();
        }}
      />
    );
  }
  const placeholder = (example: string): string => (isNew ? example : UNCHANGED);
  return (
    <Dialog
      open
      onClose={onClose}
      title={<ExternalText text={title} />}
      footer={
        <>
          <span className="me-auto self-center text-soft" role="status">
            {problem}
          </span>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            type="submit"
            form={`${id}-form`}
            disabled={problem !== undefined}
          >
            Show the change
          </Button>
        </>
      }
    >
      <form
        id={`${id}-form`}
        className="flex flex-col gap-4 p-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (problem !== undefined) return;
          setAction({ kind: "server", name: name.trim(), entry: draftChanges(draft) });
        }}
      >
        {isNew && (
          <>
            <Labelled label="Name" help="Clients find the server at /mcp/NAME.">
              {(field, help) => (
                <Input
                  id={field}
                  aria-describedby={help}
                  value={name}
                  placeholder="files"
                  onChange={(event) => set({ name: event.target.value })}
                />
              )}
            </Labelled>
            <fieldset className="flex flex-wrap gap-4">
              <legend className="mb-1 font-medium">How it is reached</legend>
              {(
                [
                  ["command", "A command that the gateway starts"],
                  ["url", "A URL"],
                ] as const
              ).map(([value, label]) => (
                <label key={value} className="inline-flex items-center gap-2">
                  <input
                    type="radio"
                    name={`${id}-kind`}
                    checked={kind === value}
                    onChange={() => set({ kind: value, pairs: [] })}
                  />
                  {label}
                </label>
              ))}
            </fieldset>
          </>
        )}
        {kind === "command" ? (
          <>
            <Labelled label="Command">
              {(field) => (
                <Input
                  id={field}
                  className="font-mono"
                  value={draft.command}
                  placeholder={placeholder("npx")}
                  onChange={(event) => set({ command: event.target.value })}
                />
              )}
            </Labelled>
            <Labelled
              label="Arguments"
              help={
                isNew
                  ? "One on each line, without quotes."
                  : "One on each line, without quotes. What you type replaces all of them."
              }
            >
              {(field, help) => (
                <textarea
                  id={field}
                  aria-describedby={help}
                  className="min-h-20 rounded-md border border-edge bg-raised px-2.5 py-1.5 font-mono"
                  spellCheck={false}
                  value={draft.args}
                  placeholder={placeholder("-y\n@modelcontextprotocol/server-filesystem\n/tmp")}
                  onChange={(event) => set({ args: event.target.value })}
                />
              )}
            </Labelled>
            <Labelled label="Working directory" help="Optional.">
              {(field, help) => (
                <Input
                  id={field}
                  className="font-mono"
                  aria-describedby={help}
                  value={draft.cwd}
                  placeholder={isNew ? "" : UNCHANGED}
                  onChange={(event) => set({ cwd: event.target.value })}
                />
              )}
            </Labelled>
          </>
        ) : (
          <Labelled label="URL">
            {(field) => (
              <Input
                id={field}
                type="url"
                className="font-mono"
                value={draft.url}
                placeholder={placeholder("https://mcp.example.com/mcp")}
                onChange={(event) => set({ url: event.target.value })}
              />
            )}
          </Labelled>
        )}
        <Pairs
          noun={kind === "command" ? "variable" : "header"}
          pairs={draft.pairs}
          onChange={(pairs) => set({ pairs })}
        />
        <p className="text-[0.8125rem] text-soft">
          Values are written, and never shown. To keep a secret out of the file, write{" "}
          <code className="font-mono">{`\${NAME}`}</code>: the gateway takes it from its
          environment.
        </p>
      </form>
    </Dialog>
  );
}
