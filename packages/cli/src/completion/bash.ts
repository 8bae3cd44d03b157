import { type CommandDefinition, type OptionDefinition, valueFlags } from "./definitions.ts";

/** Quotes with POSIX single quotes, inside which no character is special. */
export const quoteForBash = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Returns a completion script for bash 3.2 and later, which has no associative arrays. */
export function bashScript(commands: readonly CommandDefinition[]): string {
  const cases = commands.map(({ path, words, options, takesFiles, runsCommand }) => {
    const names = words.map(({ word }) => word);
    return `    ${quoteForBash(path)})
      words=${quoteForBash(names.join(" "))}
      flags=${quoteForBash(options.flatMap(({ flags }) => flags).join(" "))}
      runs=${runsCommand ? 1 : 0} files=${takesFiles ? 1 : 0} ;;`;
  });
  const values = commands.flatMap(({ path, options }) =>
    options.flatMap((option) => valueCase(path, option)),
  );
  const paths = commands.slice(1).map(({ path }) => quoteForBash(path));
  return `# bash completion of touchstone. Made by: touchstone completion bash
# Adds names of files or directories, which may hold spaces. bash 3.2 has no compopt.
_touchstone_names() {
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY+=($(compgen "$1" -- "$cur"))
}
_touchstone() {
  local cur path='' word next='' words flags runs=0 files=0 at dashes=0 flag='' kind=text
  cur=\${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; at++)); do
    word=\${COMP_WORDS[at]}
    if [[ -n $flag ]]; then
      # bash takes --flag=value for three words.
      [[ $word == '=' ]] && continue
      flag=''
      continue
    fi
    case $word in
      --) dashes=$at; break ;;
      ${valueFlags(commands).join("|")}) flag=$word; continue ;;
      -*) continue ;;
    esac
    next="\${path:+$path }$word"
    case $next in
      ${paths.join("|")}) path=$next ;;
    esac
  done
  if [[ -n $flag && $cur == '=' ]]; then cur=''; fi
  words='' flags=''
  case $path in
${cases.join("\n")}
  esac
  if ((dashes)); then
    ((runs && COMP_CWORD == dashes + 1)) && COMPREPLY=($(compgen -c -- "$cur"))
    return
  fi
  if [[ -n $flag ]]; then
    case "$path $flag" in
${values.join("\n")}
    esac
    case $kind in
      words) COMPREPLY=($(compgen -W "$words" -- "$cur")) ;;
      directory) _touchstone_names -d ;;
      file) _touchstone_names -f ;;
    esac
    return
  fi
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$cur"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
    if ((files)); then _touchstone_names -f; fi
  fi
}
complete -F _touchstone touchstone
`;
}

/** Returns the case for the word after an option. */
function valueCase(path: string, { flags, value }: OptionDefinition): readonly string[] {
  if (value === undefined || value.kind === "text") return [];
  const named = flags.map((flag) => quoteForBash(`${path} ${flag}`)).join("|");
  const words = value.kind === "words" ? ` words=${quoteForBash(value.words.join(" "))}` : "";
  return [`      ${named}) kind=${value.kind}${words} ;;`];
}
