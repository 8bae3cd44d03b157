import type { BodyOf, ResponseOf } from "@touchstone/gateway/api";
import { type ReactElement, useId, useState } from "react";
import { type ChangeOperation, usePermission } from "../access/rights.ts";
import { type GatewayApi, messageOf } from "../api/gateway.ts";
import { Notice } from "../page/notice.tsx";
import { overriddenText } from "../page/overridden.ts";
import { ReasonField, reasonIn } from "../page/reason-field.tsx";
import { Button } from "../ui/button.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { DIRECTIONS, MODES, type Modes, mergeChosenModes, modesPatch, modesText } from "./modes.ts";

type ModesChanged = ResponseOf<"changeModes">;

/** The level that has modes: the gateway, a server, or a tool of a server. */
export interface ModesOf {
  readonly server?: string;
  readonly tool?: string;
}

interface Props {
  readonly api: GatewayApi;
  readonly of: ModesOf;
  /** What the switches apply to, such as `server files`. */
  readonly what: string;
  /** The modes that are in effect. */
  readonly modes: Modes;
  /** The modes that the configuration sets at this level. */
  readonly own: Modes;
  /** Describes what applies if this level sets nothing: the level above. */
  readonly above: string;
  readonly onChanged: () => void;
}

interface Said {
  readonly kind: "good" | "warning" | "bad";
  readonly text: string;
}

function answerText({ overridden, changes, modes, warning }: ModesChanged): Said {
  if (overridden.length > 0) {
    const text = `Saved to the configuration. ${overriddenText(overridden)}`;
    return { kind: "warning", text };
  }
  const effect = changes.length === 0 ? "" : ` (${changes.join("; ")})`;
  const saved = `Saved to the configuration. Now: ${modesText(modes)}${effect}.`;
  if (warning !== undefined) return { kind: "warning", text: `${saved} ${warning}` };
  return { kind: "good", text: saved };
}

function operationOf({ server, tool }: ModesOf): ChangeOperation {
  if (server === undefined) return "changeModes";
  return tool === undefined ? "changeServerModes" : "changeToolModes";
}

/** Sends a change of modes for the gateway, a server, or a tool of a server. */
function changeModes(
  api: GatewayApi,
  { server, tool }: ModesOf,
  change: BodyOf<"changeModes">,
): Promise<ModesChanged> {
  if (server === undefined) return api.send("changeModes", {}, change);
  return tool === undefined
    ? api.send("changeServerModes", { server }, change)
    : api.send("changeToolModes", { server, tool }, change);
}

/** Switches the modes of the gateway, a server or a tool, and writes them to the configuration. */
export function ModeForm(props: Props): ReactElement {
  const { api, of, what, modes, own, above, onChanged } = props;
  const id = useId();
  const [wanted, setWanted] = useState(own);
  const [seen, setSeen] = useState(own);
  // What the configuration sets, as far as this page knows: includes modes that the page has saved but not read back
  // yet.
  const [known, setKnown] = useState(own);
  // A change made elsewhere replaces the earlier choice.
  if (modesPatch(seen, own) !== undefined) {
    setSeen(own);
    setKnown(own);
    setWanted(mergeChosenModes(wanted, known, own));
  }
  const [said, setSaid] = useState<Said>();
  const [isSaving, setIsSaving] = useState(false);
  const [reason, setReason] = useState("");
  const patch = modesPatch(known, wanted);
  const may = usePermission(operationOf(of));
  const save = async (): Promise<void> => {
    if (patch === undefined) return;
    setIsSaving(true);
    setKnown(wanted);
    try {
      setSaid(answerText(await changeModes(api, of, { ...patch, ...reasonIn(reason) })));
      setReason("");
      onChanged();
    } catch (thrown) {
      setKnown(known);
      setSaid({ kind: "bad", text: messageOf(thrown) });
    } finally {
      setIsSaving(false);
    }
  };
  return (
    <form
      className="modes flex flex-col gap-2"
      aria-label={`Modes of ${what}`}
      onSubmit={(event) => {
        event.preventDefault();
        may.run(() => void save());
      }}
    >
      <div className="flex flex-wrap items-end gap-3">
        {DIRECTIONS.map((direction) => (
          <label
            key={direction}
            htmlFor={`${id}-${direction}`}
            className="flex min-w-0 flex-col gap-1 text-[0.8125rem] text-soft"
          >
            {direction}
            <select
              id={`${id}-${direction}`}
              className="h-8 max-w-full rounded-md border border-edge bg-raised px-2 text-sm text-text max-lg:min-h-9"
              value={wanted[direction] ?? ""}
              disabled={!may.isOffered}
              onChange={(event) => {
                const { [direction]: _old, ...rest } = wanted;
                const mode = MODES.find((known) => known === event.target.value);
                setWanted(mode === undefined ? rest : { ...rest, [direction]: mode });
              }}
            >
              <option value="">
                {own[direction] === undefined ? `${above} (${modes[direction] ?? "?"})` : above}
              </option>
              {MODES.map((mode) => (
                <option key={mode} value={mode}>
                  {mode}
                </option>
              ))}
            </select>
          </label>
        ))}
        <Button type="submit" variant="primary" disabled={patch === undefined || isSaving}>
          Save
        </Button>
        {patch !== undefined && !isSaving && <Button onClick={() => setWanted(known)}>Undo</Button>}
      </div>
      {may.reason !== undefined && <p className="text-[0.8125rem] text-soft">{may.reason}</p>}
      {patch !== undefined && <ReasonField value={reason} onChange={setReason} />}
      <div role="status">
        {isSaving && "Saving …"}
        {said !== undefined && !isSaving && (
          <Notice kind={said.kind}>
            <ExternalText text={said.text} />
          </Notice>
        )}
      </div>
    </form>
  );
}
