import { type CommandDefinition, flat, type OptionDefinition, valueFlags } from "./definitions.ts";

/** Single quotes of PowerShell, in which only the quote itself is special. */
const quoted = (text: string): string => `'${text.replaceAll(/['‘’‚‛]/g, "$&$&")}'`;
const list = (words: readonly string[]): string => `@(${words.map(quoted).join(", ")})`;

/** Returns a completion script for Windows PowerShell 5.1 and PowerShell 7. */
export function powershellScript(program: CommandDefinition): string {
  const all = flat(program);
  const tables = all.map(({ path, commands, options, operand }) => {
    const words =
      operand?.kind === "words"
        ? operand.words.map((word) => [word, word] as const)
        : commands.map((below) => [below.path.at(-1) ?? "", below.description] as const);
    const flags = options.flatMap((option) =>
      option.flags.map((flag) => [flag, option.description] as const),
    );
    return `        ${quoted(path.join(" "))} = @{
            Words = @(${words.map(item).join(", ")})
            Flags = @(${flags.map(item).join(", ")})
        }`;
  });
  const values = all.flatMap(({ path, options }) =>
    options.flatMap((option) => valueLine(path, option)),
  );
  return `# PowerShell completion of touchstone. Made by: touchstone completion powershell
Register-ArgumentCompleter -Native -CommandName 'touchstone' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    # A word, a tab, and what the word means.
    $commands = @{
${tables.join("\n")}
    }
    # Flags are told apart by their case.
    $values = New-Object System.Collections.Hashtable ([System.StringComparer]::Ordinal)
${values.join("\n")}
    $valueFlags = ${list(valueFlags(program))}
    $path = ''
    $flag = ''
    $elements = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition -or ($_.Extent.EndOffset -eq $cursorPosition -and $wordToComplete -eq '') } | Select-Object -Skip 1)
    foreach ($element in $elements) {
        $word = $element.Extent.Text
        if ($flag -ne '') { $flag = ''; continue }
        if ($word -ceq '--') { return }
        if ($valueFlags -ccontains $word) { $flag = $word; continue }
        if ($word.StartsWith('-')) { continue }
        $next = if ($path -eq '') { $word } else { "$path $word" }
        if ($commands.ContainsKey($next)) { $path = $next }
    }
    $found = if ($flag -ne '') {
        @($values["$path $flag"])
    } elseif ($wordToComplete.StartsWith('-')) {
        $commands[$path].Flags
    } else {
        $commands[$path].Words
    }
    # Without a result PowerShell completes names of files.
    $found | Where-Object { $_ -and $_.StartsWith($wordToComplete) } | ForEach-Object {
        $word, $meaning = $_ -split "\`t", 2
        [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $meaning)
    }
}
`;
}

/** A word with what it means, which must not be empty. */
function item([word, meaning]: readonly [string, string]): string {
  return quoted(`${word}\t${meaning === "" ? word : meaning}`);
}

function valueLine(path: readonly string[], { flags, value }: OptionDefinition): readonly string[] {
  if (value?.kind !== "words") return [];
  const words = value.words.map((word) => item([word, word])).join(", ");
  return flags.map(
    (flag) => `    $values[${quoted([path.join(" "), flag].join(" "))}] = @(${words})`,
  );
}
