--- A conversation within a budget: `require("abridge.history").fit`, which stands in a room so that the command has it
--- too.

return require "abridge.history.fit"
