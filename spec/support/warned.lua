--- What the user is told while a function runs: notifications inside Neovim, lines on stderr elsewhere.

--- Call `f`; returns the messages, in one text.
return function(f)
  local messages, editor = {}, rawget(_G, "vim")
  local function note(message)
    messages[#messages + 1] = message
  end
  local stderr, notify, schedule = io.stderr, editor and editor.notify, editor and editor.schedule
  if editor then
    editor.notify = note
    function editor.schedule(call)
      call()
    end
  else
    io.stderr = { -- luacheck: ignore 122
      write = function(_, text)
        note(text:gsub("\n$", ""))
      end,
    }
  end
  local ok, why = pcall(f)
  io.stderr = stderr -- luacheck: ignore 122
  if editor then
    editor.notify, editor.schedule = notify, schedule
  end
  if not ok then error(why, 0) end
  return table.concat(messages, "\n")
end
