import { type ReactElement, useId, useState } from "react";
import { type GatewayApi, messageOf, textOf } from "../api/gateway.ts";
import { isObject } from "../json/object.ts";
import { Notice } from "../page/notice.tsx";
import { Shown } from "../page/shown.tsx";
import { chosenBeside, DIRECTIONS, MODES, type Modes, patchOf, readModes } from "./modes.ts";

interface Props {
  readonly api: GatewayApi;
  /** Where the change goes to, as `servers/NAME/modes`. */
  readonly path: string;
  /** What the switches are for, as `server files`. */
  readonly what: string;
  /** What holds now. */
  readonly modes: Modes;
  /** What the configuration says at this level. */
  readonly own: Modes;
  /** What holds where this level says nothing: the level above, in words. */
  readonly above: string;
  readonly onChanged: () => void;
}

interface Said {
  readonly kind: "good" | "warning" | "bad";
  readonly text: string;
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function answerText(answer: unknown): Said {
  const given = isObject(answer) ? answer : {};
  const overridden = texts(given["overridden"]);
  const changes = texts(given["changes"]);
  const warning = textOf(given, "warning");
  if (overridden.length > 0) {
    const text = `Saved to the configuration. An option of the command line wins over it for ${overridden.join(", ")}.`;
    return { kind: "warning", text };
  }
  const modes = readModes(given["modes"]);
  const hold = DIRECTIONS.map((direction) => `${direction} ${modes[direction] ?? "?"}`).join(", ");
  const effect = changes.length === 0 ? "" : ` (${changes.join("; ")})`;
  const saved = `Saved to the configuration. Now: ${hold}${effect}.`;
  if (warning !== null) return { kind: "warning", text: `${saved} ${warning}` };
  return { kind: "good", text: saved };
}

/** Switches the modes of the gateway, a server or a tool. They are written to the configuration. */
export function ModeForm(props: Props): ReactElement {
  const { api, path, what, modes, own, above, onChanged } = props;
  const id = useId();
  const [wanted, setWanted] = useState(own);
  const [known, setKnown] = useState(own);
  // What was saved, or changed elsewhere, takes the place of what was chosen before.
  if (patchOf(known, own) !== undefined) {
    setKnown(own);
    setWanted(chosenBeside(wanted, known, own));
  }
  const [said, setSaid] = useState<Said>();
  const [isSaving, setIsSaving] = useState(false);
  const patch = patchOf(own, wanted);
  const save = async (): Promise<void> => {
    if (patch === undefined) return;
    setIsSaving(true);
    try {
      setSaid(answerText(await api.patch(path, patch)));
      onChanged();
    } catch (thrown) {
      setSaid({ kind: "bad", text: messageOf(thrown) });
    } finally {
      setIsSaving(false);
    }
  };
  return (
    <form
      className="modes"
      aria-label={`Modes of ${what}`}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <div className="fields">
        {DIRECTIONS.map((direction) => (
          <label key={direction} htmlFor={`${id}-${direction}`}>
            {direction}
            <select
              id={`${id}-${direction}`}
              value={wanted[direction] ?? ""}
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
        <button type="submit" className="main" disabled={patch === undefined || isSaving}>
          Save
        </button>
        {patch !== undefined && !isSaving && (
          <button type="button" onClick={() => setWanted(own)}>
            Undo
          </button>
        )}
      </div>
      <div role="status">
        {isSaving && "Saving …"}
        {said !== undefined && !isSaving && (
          <Notice kind={said.kind}>
            <Shown text={said.text} />
          </Notice>
        )}
      </div>
    </form>
  );
}
