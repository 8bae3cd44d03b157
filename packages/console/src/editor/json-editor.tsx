import { defaultKeymap, history, historyKeymap, isolateHistory } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { bracketMatching, indentOnInput } from "@codemirror/language";
import { type Diagnostic, setDiagnostics } from "@codemirror/lint";
import { Annotation, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { AlignLeft } from "lucide-react";
import { type ReactElement, useEffect, useRef } from "react";
import type { Finding } from "../check/check-text.ts";
import type { SchemaSource } from "../form/source.ts";
import { printTree, readTree } from "../json/tree.ts";
import { visible } from "../text/visible.ts";
import { Button } from "../ui/button.tsx";
import { editorTheme } from "./editor-theme.ts";
import { HIDDEN_CHARACTERS, namedCharacter } from "./hidden.ts";
import { longEdits } from "./long-edits.ts";
import { schemaHelp } from "./schema-help.ts";

/** The range to select; a new object selects it again. */
export interface Selection {
  readonly from: number;
  readonly to: number;
}

interface Props {
  /** The schema used for completions and hints. */
  readonly source: SchemaSource;
  readonly text: string;
  readonly label: string;
  readonly findings: readonly Finding[];
  readonly selection: Selection | undefined;
  readonly onChange: (text: string) => void;
}

const fromOutside = Annotation.define<boolean>();

// Tab is left to the browser, so that keyboard users can leave the editor.
const EXTENSIONS: Extension = [
  lineNumbers(),
  history(),
  drawSelection(),
  indentOnInput(),
  bracketMatching(),
  highlightActiveLine(),
  highlightSpecialChars({ specialChars: HIDDEN_CHARACTERS, render: namedCharacter }),
  EditorView.lineWrapping,
  keymap.of([...defaultKeymap, ...historyKeymap]),
  json(),
  longEdits,
  editorTheme,
];

function diagnosticsOf(findings: readonly Finding[], length: number): Diagnostic[] {
  return findings.map(({ predicate, from, to }) => {
    const end = Math.min(to, length);
    const message = visible(predicate);
    return { from: Math.min(from, end), to: end, severity: "error", message };
  });
}

/**
 * Edits a JSON text. The editor is in a shadow root: there CodeMirror adds its styles as objects, which the page's
 * policy allows, instead of as elements.
 */
export default function JsonEditor(props: Props): ReactElement {
  const { source, text, label, findings, selection } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const change = useRef(props.onChange);
  const first = useRef(text);
  useEffect(() => {
    change.current = props.onChange;
  });

  useEffect(() => {
    if (host.current === null) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: "open" });
    const tell = EditorView.updateListener.of((update) => {
      const own = !update.transactions.some((each) => each.annotation(fromOutside) === true);
      if (update.docChanged && own) change.current(update.state.doc.toString());
    });
    const named = EditorView.contentAttributes.of({ "aria-label": label });
    const made = new EditorView({
      doc: first.current,
      extensions: [schemaHelp(source), EXTENSIONS, tell, named],
      root,
      parent: root,
    });
    view.current = made;
    return () => {
      made.destroy();
      view.current = null;
    };
  }, [label, source]);

  useEffect(() => {
    const { current } = view;
    if (current === null || current.state.doc.toString() === text) return;
    current.dispatch({
      changes: { from: 0, to: current.state.doc.length, insert: text },
      annotations: [fromOutside.of(true), isolateHistory.of("full")],
    });
  }, [text]);

  useEffect(() => {
    const { current } = view;
    if (current === null) return;
    const { state } = current;
    current.dispatch(setDiagnostics(state, diagnosticsOf(findings, state.doc.length)));
  }, [findings]);

  useEffect(() => {
    const { current } = view;
    if (current === null || selection === undefined) return;
    const end = current.state.doc.length;
    const anchor = Math.min(selection.from, end);
    current.dispatch({
      selection: { anchor, head: Math.min(selection.to, end) },
      scrollIntoView: true,
    });
    current.focus();
  }, [selection]);

  const format = (): void => {
    const { current } = view;
    const read = readTree(text);
    if (current === null || !read.ok) return;
    const insert = printTree(read.tree);
    if (insert === text) return;
    current.dispatch({ changes: { from: 0, to: current.state.doc.length, insert } });
  };
  return (
    <div className="flex flex-col gap-1.5">
      <Button
        variant="quiet"
        size="sm"
        className="self-end"
        disabled={!readTree(text).ok}
        onClick={format}
      >
        <AlignLeft aria-hidden="true" />
        Format
      </Button>
      <div ref={host} className="editor rounded-md border border-edge" />
    </div>
  );
}
