import { isolateHistory } from "@codemirror/commands";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";

/** Shorter text is left to the browser. */
const MIN_LENGTH = 200;

/**
 * Handles typing over a long selection, and long text inserted at once, instead of the browser. The browser would
 * remove the text token by token, or insert it line by line, and redo the layout each time. For a few kilobytes this
 * blocks the page for a minute.
 */
export const longEdits: Extension = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { inputType, data, isComposing } = event;
    if (inputType !== "insertText" || data === null || isComposing) return false;
    if (Math.max(view.state.doc.length, data.length) < MIN_LENGTH) return false;
    // In a shadow tree the browser does not expose the ranges of the event. The editor only learns through this
    // event, which would otherwise arrive later, of a selection that a program has just made.
    view.dom.ownerDocument.dispatchEvent(new Event("selectionchange"));
    const { from, to } = view.state.selection.main;
    if (to - from < MIN_LENGTH && data.length < MIN_LENGTH) return false;
    event.preventDefault();
    view.dispatch({
      changes: { from, to, insert: data },
      selection: { anchor: from + view.state.toText(data).length },
      scrollIntoView: true,
      userEvent: "input.type",
      // Such a large change is undone on its own, not together with what is typed after it.
      annotations: isolateHistory.of("full"),
    });
    return true;
  },
});
