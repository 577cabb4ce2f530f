--- How notices of a session that has all its tools go on after the path of a full output.

local has_json = require("abridge.base.host").json() ~= nil -- without it nothing is searched

return has_json and ". Use read_file or search_files on it" or ". Use read_file on it"
