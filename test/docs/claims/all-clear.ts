/** Words of a statement that all is well. Other sentences may make one too: list them as well. */
const ALL_CLEAR =
  /\b(?:safe|compatible|nothing|never|proved|in order|accepts (?:just )?the same|same configuration)\b|"the same"/i;

/** Returns the sentences of a page, each row of a table as one, without blocks of code, comments and headings. */
function sentencesOf(page: string): readonly string[] {
  const text = page
    .replaceAll(/^```[\s\S]*?^```$/gm, "")
    .replaceAll(/<!--[\s\S]*?-->/g, "")
    .replaceAll(/^#.*$/gm, "");
  return text
    .split(/\n{2,}|\n(?=- |\d+\. |\|)/)
    .flatMap((block) =>
      block.startsWith("|")
        ? [block]
        : block.replaceAll(/\s+/g, " ").split(/(?<=[.:])\s+(?=[A-Z`*[])/),
    );
}

/** Returns the texts of a source file: strings and templates of several words, and the text of elements. */
function textsOf(source: string): readonly string[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
  const quoted = [...code.matchAll(/"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g)].map(([text]) => text);
  const shown = [...code.matchAll(/>([^<>{}="`;]*)[<{]/g)].map(([, text = ""]) => text);
  return [...quoted, ...shown].map((text) => text.trim()).filter((text) => /\s/.test(text));
}

/** Returns what a page or a source file says that is a statement that all is well. */
export function allClearIn(path: string, text: string): readonly string[] {
  const said = path.endsWith(".md") ? sentencesOf(text) : textsOf(text);
  return said.filter((each) => ALL_CLEAR.test(each)).map((each) => each.replaceAll(/\s+/g, " "));
}
