import { quoteForBash } from "./bash.ts";
import { type CommandDefinition, type OptionDefinition, valueFlags } from "./definitions.ts";

/** Returns a word and its description for `_describe`. */
const described = (word: string, meaning: string): string =>
  quoteForBash(`${word.replaceAll(":", "\\:")}:${meaning}`);

/**
 * Returns a completion script for zsh: load it with `source`, or save it as `_touchstone` in a directory of `fpath`.
 */
export function zshScript(commands: readonly CommandDefinition[]): string {
  const cases = commands.map(({ path, words, options, takesFiles, runsCommand }) => {
    const names = words.map(({ word, description }) =>
      description === "" ? quoteForBash(word) : described(word, description),
    );
    const flags = options.flatMap((option) =>
      option.flags.map((flag) => described(flag, option.description)),
    );
    return `    ${quoteForBash(path)})
      commands=(${names.join(" ")})
      flags=(${flags.join("\n        ")})
      runs=${runsCommand ? 1 : 0} files=${takesFiles ? 1 : 0} ;;`;
  });
  const values = commands.flatMap(({ path, options }) =>
    options.flatMap((option) => valueCase(path, option)),
  );
  const paths = commands.slice(1).map(({ path }) => quoteForBash(path));
  return `#compdef touchstone
# zsh completion of touchstone. Made by: touchstone completion zsh
_touchstone() {
  local cur=\${words[CURRENT]} found='' word next='' flag='' kind=text at
  local -i dashes=0 runs=0 files=0
  local -a commands flags choices
  for ((at = 2; at < CURRENT; at++)); do
    word=\${words[at]}
    if [[ -n $flag ]]; then
      flag=''
      continue
    fi
    case $word in
      (--) dashes=$at; break ;;
      (${valueFlags(commands).join("|")}) flag=$word; continue ;;
      (-*) continue ;;
    esac
    next="\${found:+$found }$word"
    case $next in
      (${paths.join("|")}) found=$next ;;
    esac
  done
  case $found in
${cases.join("\n")}
  esac
  if ((dashes)); then
    if ((runs && CURRENT == dashes + 1)); then _command_names -e; else _files; fi
    return
  fi
  if [[ -z $flag && $cur == --*=* ]]; then
    flag=\${cur%%=*}
    compset -P '*='
  fi
  if [[ -n $flag ]]; then
    case "$found $flag" in
${values.join("\n")}
    esac
    case $kind in
      (words) compadd -a choices ;;
      (directory) _files -/ ;;
      (file) _files ;;
    esac
    return
  fi
  if [[ $cur == -* ]]; then
    _describe -o option flags
    return
  fi
  ((\${#commands})) && _describe command commands
  ((files)) && _files
}
if [[ \${funcstack[1]} == _touchstone ]]; then
  _touchstone "$@"
else
  compdef _touchstone touchstone
fi
`;
}

function valueCase(path: string, { flags, value }: OptionDefinition): readonly string[] {
  if (value === undefined || value.kind === "text") return [];
  const named = flags.map((flag) => quoteForBash(`${path} ${flag}`)).join("|");
  const words =
    value.kind === "words" ? ` choices=(${value.words.map(quoteForBash).join(" ")})` : "";
  return [`      (${named}) kind=${value.kind}${words} ;;`];
}
