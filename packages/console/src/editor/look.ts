import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

// Custom properties reach into the shadow root, and change with the theme.
const colors = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--color-code-name)" },
  { tag: tags.string, color: "var(--color-code-string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--color-code-atom)" },
]);

const theme = EditorView.theme({
  "&": { color: "var(--color-text)", backgroundColor: "var(--color-raised)", fontSize: "0.875rem" },
  "&.cm-focused": { outline: "2px solid var(--color-accent)" },
  ".cm-content": { fontFamily: "var(--font-mono)", caretColor: "var(--color-text)" },
  ".cm-scroller": { minHeight: "12rem", maxHeight: "60vh", overflow: "auto" },
  ".cm-gutters": {
    color: "var(--color-soft)",
    backgroundColor: "var(--color-surface)",
    border: "none",
  },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--color-line)" },
  ".cm-cursor": { borderLeftColor: "var(--color-text)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--color-accent-soft) !important",
  },
  ".cm-hidden-character": { color: "var(--color-bad)", border: "1px solid" },
  ".cm-tooltip": { color: "var(--color-text)", backgroundColor: "var(--color-surface)" },
});

/** How the editor looks, dark and light. */
export const look: Extension = [theme, syntaxHighlighting(colors)];
