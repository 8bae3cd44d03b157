import { isolateHistory } from "@codemirror/commands";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";

/** Less is left to the browser. */
const MIN_LENGTH = 200;

/**
 * Takes what is typed over a long selection, and what comes as one long text, out of the browser's hands. It takes
 * token by token out of the document, or puts line by line into it, and lays all of it out again each time: of a few
 * kilobytes that takes a minute, in which the page does nothing else.
 */
export const typedOver: Extension = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { inputType, data, isComposing } = event;
    if (inputType !== "insertText" || data === null || isComposing) return false;
    if (Math.max(view.state.doc.length, data.length) < MIN_LENGTH) return false;
    // Of a shadow tree the browser does not tell the ranges of the event, and the editor learns of a selection that
    // was just made by a program only with this event, which else comes later.
    view.dom.ownerDocument.dispatchEvent(new Event("selectionchange"));
    const { from, to } = view.state.selection.main;
    if (to - from < MIN_LENGTH && data.length < MIN_LENGTH) return false;
    event.preventDefault();
    view.dispatch({
      changes: { from, to, insert: data },
      selection: { anchor: from + view.state.toText(data).length },
      scrollIntoView: true,
      userEvent: "input.type",
      // So much is undone by itself, and not with what is typed behind it.
      annotations: isolateHistory.of("full"),
    });
    return true;
  },
});
