--- `abridge completion SHELL`: scripts that make a shell complete commands, flags and their values, from the table of
--- commands. They hold all they need: pressing Tab starts no program of ours.

local shell = require "abridge.base.shell"
local terminal = require "abridge.cli.terminal"

local M = {}

local quoted = shell.quoted

--- All flags of a command, its own ones first.
local function flags_of(command, everywhere)
  local all = {}
  for _, group in ipairs(command.flags) do
    for _, flag in ipairs(group) do
      all[#all + 1] = flag
    end
  end
  for _, flag in ipairs(everywhere) do
    all[#all + 1] = flag
  end
  return all
end

--- The commands, in the form a shell needs.
local function model(commands)
  local all = {}
  for _, command in ipairs(commands.all()) do
    all[#all + 1] = {
      name = command.name,
      says = command.forms[1].says,
      flags = flags_of(command, commands.everywhere),
      words = command.words or {},
      own_words = command.own_words,
    }
  end
  return all
end

--- Join the results of `each` for the items of a list.
local function joined(list, each, separator)
  local parts = {}
  for i, item in ipairs(list) do
    parts[i] = each(item, i)
  end
  return table.concat(parts, separator or "")
end

local function fill(template, values)
  return (template:gsub("@(%u+)@", values))
end

-- bash ----------------------------------------------------------------------------------

local BASH = [=[
# bash completion for abridge, made by: abridge completion bash

_abridge_words() { # those that begin as the current word does, one a line
  local line
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen "$@" -- "$cur")
}

_abridge_value() { # of a kind, or one of some words
  case $1 in
    :none) ;;
    :file) compopt -o filenames 2>/dev/null; _abridge_words -f ;;
    :folder) compopt -o filenames 2>/dev/null; _abridge_words -d ;;
    :command) _abridge_words -c ;;
    *) _abridge_words -W "$1" ;;
  esac
}

_abridge() {
  local cur=${COMP_WORDS[COMP_CWORD]} command='' flag='' only_words='' seen=0 first=0 i word value
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do # = is a word of its own
    word=${COMP_WORDS[i]}
    if [[ $flag ]]; then
      [[ $word == = ]] || flag=''
    elif [[ $word == -- && ! $only_words ]]; then
      only_words=1
    elif [[ $word == -* && ! $only_words ]]; then
      case $word in
        @VALUED@) flag=$word ;;
      esac
    elif [[ ! $command ]]; then
      command=$word
    else
      ((seen++)) || first=$i
      case $command in @OWN@) only_words=1 ;; esac
    fi
  done
  if [[ $flag ]]; then
    [[ $cur == = ]] && cur=''
    case $flag in
@VALUES@    esac
    _abridge_value "$value"
  elif [[ $cur == -* && ! $only_words ]]; then
    case $command in
@FLAGS@    esac
    _abridge_words -W "$value"
  elif [[ ! $command ]]; then
    _abridge_words -W '@COMMANDS@'
  else
    case $command:$seen in
@WORDS@      @OWNREST@)
        if declare -F _command_offset >/dev/null; then _command_offset "$first"; return; fi # of bash-completion
        value=:file
        ;;
      *) value=:none ;;
    esac
    _abridge_value "$value"
  fi
}

complete -F _abridge abridge
]=]

--- The type of a value in the script: a kind, or its words.
local function bash_value(value)
  return value.words and quoted(table.concat(value.words, " ")) or value.complete and ":" .. value.complete or ":none"
end

local function flag_words(flags)
  return joined(flags, function(flag)
    return (flag.short and "-" .. flag.short .. " " or "") .. "--" .. flag.name
  end, " ")
end

local function pattern_of(flag)
  return (flag.short and "-" .. flag.short .. "|" or "") .. "--" .. flag.name
end

--- Each flag with a value, once.
local function valued(commands)
  local list, seen = {}, {}
  for _, command in ipairs(commands) do
    for _, flag in ipairs(command.flags) do
      if flag.value and not flag.optional and not seen[flag.name] then
        seen[flag.name], list[#list + 1] = true, flag
      end
    end
  end
  return list
end

local function own_words(commands)
  local list = {}
  for _, command in ipairs(commands.all()) do
    if command.own_words then list[#list + 1] = command.name end
  end
  return list
end

local function bash(commands)
  local all = model(commands)
  local with_value, own = valued(all), own_words(commands)
  return fill(BASH, {
    VALUED = joined(with_value, pattern_of, "|"),
    OWN = table.concat(own, "|"),
    OWNREST = joined(own, function(name)
      return name .. ":*"
    end, "|"),
    VALUES = joined(with_value, function(flag)
      return ("      %s) value=%s ;;\n"):format(pattern_of(flag), bash_value(flag.value))
    end),
    FLAGS = joined(all, function(command)
      return ("      %s) value=%s ;;\n"):format(command.name, quoted(flag_words(command.flags)))
    end) .. ("      *) value=%s ;;\n"):format(quoted(flag_words(commands.everywhere))),
    COMMANDS = joined(all, function(command)
      return command.name
    end, " "),
    WORDS = joined(all, function(command)
      return joined(command.words, function(word, i)
        return ("      %s:%d) value=%s ;;\n"):format(command.name, i - 1, bash_value(word))
      end)
    end),
  })
end

-- zsh -----------------------------------------------------------------------------------

local ZSH = [=[
#compdef abridge
# zsh completion for abridge, made by: abridge completion zsh

_abridge() {
  local curcontext=$curcontext state line
  local -a names
  names=(
@COMMANDS@  )
  _arguments -C @EVERYWHERE@ '1: :->command' '*:: :->rest'
  case $state in
    command) _describe -t commands 'abridge command' names ;;
    rest)
      case $line[1] in
@CASES@      esac
      ;;
  esac
}

if [[ $funcstack[1] == _abridge ]]; then _abridge "$@"; else compdef _abridge abridge; fi
]=]

--- A text inside the brackets and between the colons of a spec of `_arguments`.
local function zsh_text(text)
  return (text:gsub("[%[%]\\:]", "\\%0"))
end

local NEXT = " \\\n            " -- spec

local ZSH_ACTIONS = { file = "_files", folder = "_files -/", command = "_command_names -e" }

local function zsh_action(value)
  return value.words and "(" .. table.concat(value.words, " ") .. ")" or ZSH_ACTIONS[value.complete] or " "
end

local function zsh_flag(flag)
  local says = "[" .. zsh_text(flag.says) .. "]"
  local has_value = flag.value and not flag.optional
  local value = has_value and (":%s:%s"):format(zsh_text(flag.shown), zsh_action(flag.value)) or ""
  local spec = quoted("--" .. flag.name .. (has_value and "=" or "") .. says .. value)
  return flag.short and spec .. " " .. quoted("-" .. flag.short .. says .. value) or spec
end

local function zsh_word(command)
  return function(word, i)
    if word.complete == "command" then return "'(-)1: : _command_names -e'" .. NEXT .. "'*:: : _normal'" end
    return quoted(("%d:%s:%s"):format(i, command.name, zsh_action(word)))
  end
end

local function zsh(commands)
  local all = model(commands)
  return fill(ZSH, {
    COMMANDS = joined(all, function(command)
      return ("    %s\n"):format(quoted(command.name .. ":" .. zsh_text(command.says)))
    end),
    EVERYWHERE = joined(commands.everywhere, zsh_flag, " "),
    CASES = joined(all, function(command)
      local specs = { joined(command.flags, zsh_flag, NEXT), joined(command.words, zsh_word(command), NEXT) }
      local how = command.own_words and "-S -A '-*'" or "-S"
      local all_specs = table.concat(specs, NEXT, 1, #command.words > 0 and 2 or 1)
      return ("        %s)\n          _arguments %s%s\n          ;;\n"):format(command.name, how, NEXT .. all_specs)
    end),
  })
end

-- fish ----------------------------------------------------------------------------------

local FISH = [=[
# fish completion for abridge, made by: abridge completion fish

function __abridge_command # the command's name is this; without one: is there none yet?
    set -l name
    set -l skip
    for word in (commandline -opc)[2..-1]
        if set -q skip[1]
            set -e skip
        else if test "$word" = --color
            set skip 1
        else if not string match -q -- '-*' "$word"
            set name $word
            break
        end
    end
    test "$name" = "$argv[1]"
end

function __abridge_subcommand # what completes the command after the flags; the arguments are flags with a value
    set -l words (commandline -opc)
    set -l rest
    set -l named
    set -l skip
    for i in (seq 2 (count $words))
        set -l word $words[$i]
        if set -q skip[1]
            set -e skip
        else if test "$word" = --
            test $i -lt (count $words); and set rest $words[(math $i + 1)..-1]
            break
        else if contains -- "$word" --color $argv
            set skip 1
        else if string match -q -- '-*' "$word"
            continue
        else if not set -q named[1]
            set named 1
        else
            set rest $words[$i..-1]
            break
        end
    end
    complete --do-complete=(string join -- ' ' (string escape -- $rest) (commandline -ct))
end

complete -c abridge -f
]=]

local FISH_KINDS = { file = " -r -F", folder = " -x -a '(__fish_complete_directories)'" }

local function fish_value(value)
  if value.words then return " -x -a " .. quoted(table.concat(value.words, " ")) end
  return FISH_KINDS[value.complete] or " -x"
end

local function fish_flag(where)
  return function(flag)
    local short = flag.short and " -s " .. flag.short or ""
    local value = flag.value and not flag.optional and fish_value(flag.value) or ""
    return ("complete -c abridge -n %s%s -l %s%s -d %s\n"):format(where, short, flag.name, value, quoted(flag.says))
  end
end

local FISH_WORDS = {
  file = " -F",
  folder = " -a '(__fish_complete_directories)'",
}

local function fish_word(where, flags)
  return function(word)
    if word.complete == "command" then
      local with_value = {}
      for _, flag in ipairs(flags) do
        if flag.value and not flag.optional then with_value[#with_value + 1] = "--" .. flag.name end
      end
      local what = quoted(("(__abridge_subcommand %s)"):format(table.concat(with_value, " ")))
      return ("complete -c abridge -n %s -a %s\n"):format(where, what)
    end
    local what = word.words and " -a " .. quoted(table.concat(word.words, " ")) or FISH_WORDS[word.complete]
    return what and ("complete -c abridge -n %s%s\n"):format(where, what) or ""
  end
end

local function fish(commands)
  local none = quoted "__abridge_command ''"
  return FISH
    .. joined(commands.everywhere, fish_flag(none))
    .. joined(model(commands), function(command)
      local where = quoted("__abridge_command " .. command.name)
      return ("complete -c abridge -n %s -a %s -d %s\n"):format(none, command.name, quoted(command.says))
        .. joined(command.flags, fish_flag(where))
        .. joined(command.words, fish_word(where, command.flags))
    end)
end

-- the command ---------------------------------------------------------------------------

local SCRIPTS = { bash = bash, zsh = zsh, fish = fish }

--- Run `abridge completion`.
---@param args abridge.cli.Args
---@param commands table the table of commands
---@return integer exit code
function M.run(args, commands)
  local script = #args.words == 1 and SCRIPTS[args.words[1]]
  if not script then terminal.bad("completion needs one SHELL: %s", table.concat(commands.shells, ", ")) end
  terminal.out(script(commands))
  return 0
end

return M
