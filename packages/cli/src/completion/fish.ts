import { type CommandDefinition, type OptionDefinition, valueFlags } from "./definitions.ts";

/** Quotes with fish single quotes, inside which only a backslash and the quote itself are special. */
const quoted = (text: string): string =>
  `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

/** Returns a completion script for fish 3 and later. */
export function fishScript(commands: readonly CommandDefinition[]): string {
  const paths = commands.slice(1).map(({ path }) => quoted(path));
  const lines = commands.flatMap(linesOf);
  return `# fish completion of touchstone. Made by: touchstone completion fish
function __touchstone_path --description 'The command that is typed, as words'
    set -l path
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip -eq 1
            set skip 0
            continue
        end
        switch $word
            case --
                echo --
                return
            case ${valueFlags(commands).join(" ")}
                set skip 1
                continue
            case '-*'
                continue
        end
        set -l next (string join ' ' -- $path $word)
        if contains -- "$next" ${paths.join(" ")}
            set path $path $word
        end
    end
    string join ' ' -- $path
end
function __touchstone_at --description 'Whether this very command is typed'
    test (__touchstone_path | string collect --allow-empty) = "$argv[1]"
end
complete -c touchstone -f
complete -c touchstone -n '__touchstone_at --' -a '(__fish_complete_subcommand)'
${lines.join("\n")}
`;
}

function linesOf(command: CommandDefinition): readonly string[] {
  const { path, words, options, takesFiles } = command;
  const start = `complete -c touchstone -n ${quoted(`__touchstone_at ${quoted(path)}`)}`;
  const next = words.map(({ word, description }) => {
    const meaning = description === "" ? "" : ` -d ${quoted(description)}`;
    return `${start} -a ${quoted(word)}${meaning}`;
  });
  const files = takesFiles ? [`${start} -F`] : [];
  return [...next, ...files, ...options.map((option) => `${start}${optionText(option)}`)];
}

function optionText({ flags, description, value }: OptionDefinition): string {
  const names = flags.map((flag) =>
    flag.startsWith("--") ? ` -l ${flag.slice(2)}` : ` -s ${flag.slice(1)}`,
  );
  return `${names.join("")}${valueText(value)} -d ${quoted(description)}`;
}

function valueText(value: OptionDefinition["value"]): string {
  switch (value?.kind) {
    case undefined:
      return "";
    case "words":
      return ` -x -a ${quoted(value.words.join(" "))}`;
    case "file":
      return " -r -F";
    case "directory":
      return ` -x -a ${quoted("(__fish_complete_directories)")}`;
    case "text":
      return " -x";
  }
}
