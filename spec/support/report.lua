--- How busted tells of a run: as its plainTerminal does. Where ABRIDGE_TIMES names a file, each spec file gets a line
--- in it: seconds, tab, path.
return function(options)
  local busted = require "busted"
  local times = os.getenv "ABRIDGE_TIMES"
  busted.subscribe({ "file", "end" }, function(file)
    if times and file.duration then
      local out = assert(io.open(times, "a"))
      out:write(("%.2f\t%s\n"):format(file.duration, (file.name:gsub("^%./", ""))))
      out:close()
    end
    return nil, true
  end)
  return require "busted.outputHandlers.plainTerminal"(options)
end
