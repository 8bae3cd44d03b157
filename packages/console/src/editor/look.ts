import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

// Custom properties reach into the shadow root, and change with the theme.
const colors = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--code-name)" },
  { tag: tags.string, color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--code-atom)" },
]);

const theme = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "var(--field)", fontSize: "0.875rem" },
  "&.cm-focused": { outline: "2px solid var(--accent)" },
  ".cm-content": { fontFamily: "var(--mono)", caretColor: "var(--text)" },
  ".cm-scroller": { minHeight: "12rem", maxHeight: "60vh", overflow: "auto" },
  ".cm-gutters": { color: "var(--soft)", backgroundColor: "var(--panel)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--line)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--selection) !important",
  },
  ".cm-hidden-character": { color: "var(--bad)", border: "1px solid" },
  ".cm-tooltip": { color: "var(--text)", backgroundColor: "var(--panel)" },
});

/** How the editor looks, dark and light. */
export const look: Extension = [theme, syntaxHighlighting(colors)];
