--- A conversation within a budget: `require("abridge.history").fit`. It stands in a room so that the command may use it.

return require "abridge.history.fit"
