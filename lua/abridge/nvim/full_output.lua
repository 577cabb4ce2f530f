--- The full output of a call in a pager: from its file, or from the log if the call has none.

local core = require "abridge.base.core_loader"
local files = require "abridge.base.files"
local ledger = require "abridge.base.ledger"
local shell = require "abridge.base.shell"
local buffer = require "abridge.nvim.buffer"
local pager = require "abridge.nvim.pager"
local reader = require "abridge.run.reader"
local words = require "abridge.run.call_words"

local M = {}

--- Commands that show parts of a file.
local function commands_for_file(path)
  if not path then return nil end
  local word = shell.quote(path)
  return {
    of_lines = function(first, last)
      return ("sed -n '%.0f,%.0fp;%.0fq' %s"):format(first, last, last, word)
    end,
    of_bytes = function(from, to)
      return ("tail -c +%.0f %s | head -c %.0f"):format(from + 1, word, to - from)
    end,
  }
end

--- Commands that show the parts of a call in the log. Its lines are all known.
local function commands_for_log(run, event)
  if not run then return nil end
  local call = shell.quote(run.dir) .. " " .. shell.quote(tostring(event.call_id))
  return {
    of_lines = function(first, last)
      return ("abridge log %s --offset %.0f --limit %.0f"):format(call, first, last - first + 1)
    end,
    of_bytes = function()
      return nil, "The lines shown have no numbers here"
    end,
  }
end

local function text_source(text)
  return {
    size = #text,
    read = function(at, bytes)
      return text:sub(at + 1, at + bytes)
    end,
  }
end

--- The full output of a call, from its file, or as the log has it.
---@param run abridge.Run|nil that of the call; not needed if it has no file
---@param event table the call's `tool_result`
---@return abridge.nvim.Source|nil source
---@return fun()|string close or why the file cannot be opened
---@return string|nil text the log's text, if there is no file
function M.source(run, event)
  local full = type(event.full_output) == "table" and event.full_output or {}
  if not full.path then
    local text = reader.shown_text(event)
    return text_source(text), function() end, text
  end
  local fd, stat = run:open_output(event)
  if not fd then return nil, stat end
  local source = {
    size = stat.size,
    read = function(at, bytes)
      return files.read(fd, bytes, at)
    end,
  }
  return source, function()
    files.close(fd)
  end
end

--- Page through the full output of a call.
---@param run abridge.Run|nil that of the call; not needed if it has no full output
---@param event table the call's `tool_result`
---@param number integer of the call
---@param buf? integer a buffer that is there, in its windows, in place of a new one
---@param cwd? string folder that paths in it start from; the editor's unless set
---@return abridge.nvim.Pager|nil pager
---@return string|nil message why its file cannot be opened; raises if there is no room for a window
function M.open(run, event, number, buf, cwd)
  local opts = { buf = buf, cwd = cwd }
  function opts.name(own)
    buffer.name(own, "output", run and run.dir, number)
  end
  local full = type(event.full_output) == "table" and event.full_output or {}
  local why = full.error and words.one_line(full.error)
  local source, close, text = M.source(run, event)
  if not source then return nil, close end
  opts.close = close
  if text then
    local cut = type(event.truncation) == "table" and event.truncation.truncated
    opts.note = cut and "the full output was not kept" .. (why and ": " .. why or "") or nil
    opts.lines, opts.command = core.count_lines(text), commands_for_log(run, event)
  else
    opts.cut, opts.command = ledger.of(event), commands_for_file(reader.kept_path(run, event))
    opts.note = why and "incomplete: " .. why or nil
  end
  return pager.open(source, opts)
end

return M
