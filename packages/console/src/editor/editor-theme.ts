import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

// Custom properties reach into the shadow root and change with the theme.
const colors = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--color-code-name)" },
  { tag: tags.string, color: "var(--color-code-string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--color-code-atom)" },
]);

const theme = EditorView.theme({
  "&": {
    color: "var(--color-text)",
    backgroundColor: "var(--color-raised)",
    fontSize: "0.875rem",
    borderRadius: "0.3125rem",
  },
  "&.cm-focused": { outline: "2px solid var(--color-accent)" },
  ".cm-content": { fontFamily: "var(--font-mono)", caretColor: "var(--color-text)" },
  ".cm-scroller": { minHeight: "12rem", maxHeight: "60vh", overflow: "auto" },
  ".cm-gutters": {
    borderRadius: "0.3125rem 0 0 0.3125rem",
    color: "var(--color-soft)",
    backgroundColor: "var(--color-surface)",
    border: "none",
  },
  ".cm-activeLineGutter": { backgroundColor: "var(--color-hover)" },
  ".cm-cursor": { borderLeftColor: "var(--color-text)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--color-accent-soft) !important",
  },
  ".cm-hidden-character": { color: "var(--color-bad)", border: "1px solid" },
  // The selection is drawn below the active line, so the line must be translucent.
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--color-hover) 40%, transparent)" },
  ".cm-schema-help": { maxWidth: "28rem", padding: "0.25rem 0.5rem" },
  ".cm-schema-help p": { margin: "0.125rem 0", whiteSpace: "pre-wrap" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": {
    color: "var(--color-on-accent)",
    backgroundColor: "var(--color-accent)",
  },
  ".cm-completionDetail": { color: "var(--color-soft)", fontStyle: "normal" },
  "li[aria-selected] .cm-completionDetail": { color: "inherit" },
  ".cm-tooltip": { color: "var(--color-text)", backgroundColor: "var(--color-surface)" },
});

/** The styles of the editor, dark and light. */
export const editorTheme: Extension = [theme, syntaxHighlighting(colors)];
