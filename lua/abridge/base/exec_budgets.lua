--- Byte budgets that stand for a word (SPEC "exec budgets"); a cut by one of them has the reason `exec_budget`. "full"
--- sets none; "auto" looks at how the command ended. Plain data, for what works without the core too.

local KB = 1024

---@type table<string, integer|false>
return { silent = 200, concise = 2 * KB, normal = 8 * KB, verbose = 16 * KB, full = false, auto = 8 * KB }
