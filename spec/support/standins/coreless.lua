--- A module of ours as it is where the core cannot be loaded.

--- Load a module anew, without the core, and hand it to `f`; everything is as before afterwards.
return function(name, f)
  local loaded = {}
  for key, module in pairs(package.loaded) do
    if key == "abridge" or key:find "^abridge%." then loaded[key] = module end
  end
  for key in pairs(loaded) do
    package.loaded[key] = nil
  end
  local preload = package.preload["abridge.core"]
  package.preload["abridge.core"] = function() -- luacheck: ignore 122
    error("core.so is missing", 0)
  end
  local ok, message = pcall(function()
    f(require(name))
  end)
  package.preload["abridge.core"] = preload -- luacheck: ignore 122
  for key in pairs(package.loaded) do
    if key == "abridge" or key:find "^abridge%." then package.loaded[key] = nil end
  end
  for key, module in pairs(loaded) do
    package.loaded[key] = module
  end
  if not ok then error(message, 0) end
end
