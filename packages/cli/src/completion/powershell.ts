import { type CommandDefinition, type OptionDefinition, valueFlags } from "./definitions.ts";

/** Quotes with PowerShell single quotes, inside which only the quote itself is special. */
const quoted = (text: string): string => `'${text.replaceAll(/['‘’‚‛]/g, "$&$&")}'`;
const list = (words: readonly string[]): string => `@(${words.map(quoted).join(", ")})`;

/** Returns a completion script for Windows PowerShell 5.1 and PowerShell 7. */
export function powershellScript(commands: readonly CommandDefinition[]): string {
  const tables = commands.map(({ path, words, options }) => {
    const next = words.map(({ word, description }) => item(word, description));
    const flags = options.flatMap((option) =>
      option.flags.map((flag) => item(flag, option.description)),
    );
    return `        ${quoted(path)} = @{
            Words = @(${next.join(", ")})
            Flags = @(${flags.join(", ")})
        }`;
  });
  const values = commands.flatMap(({ path, options }) =>
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
    $valueFlags = ${list(valueFlags(commands))}
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

/** Returns a word with its description, which must not be empty. */
function item(word: string, meaning: string): string {
  return quoted(`${word}\t${meaning === "" ? word : meaning}`);
}

function valueLine(path: string, { flags, value }: OptionDefinition): readonly string[] {
  if (value?.kind !== "words") return [];
  const words = value.words.map((word) => item(word, "")).join(", ");
  return flags.map((flag) => `    $values[${quoted(`${path} ${flag}`)}] = @(${words})`);
}
