---@meta abridge.core
--- Types of what the core gives to `require "abridge"`, for language servers; nothing loads this. What each means,
--- costs and raises is in doc/lua.md.

---@alias abridge.Kind "log"|"text"|"table"|"diff"|"mixed"|"json_lines"|"json"|"binary"

---@class (exact) abridge.PlainCutOptions At least one budget is required.
---@field max_lines? integer lines kept
---@field max_bytes? integer|string bytes, or a size such as "30KB"
---@field max_chars? integer code points
---@field max_tokens? integer as `count_tokens` says, else as estimated
---@field count_tokens? fun(text: string): integer must not fall as the text grows
---@field token_safety? number factor on the estimate; 1.35 unless set
---@field reserve? string what will be appended: room for it is set aside when the text is cut
---@field utf8? "keep"|"replace" "replace": bytes outside UTF-8 show as U+FFFD
---@field long_line? "omit"|"split" the nearest line that alone is over budget
---@field strategy? "auto"|"head"|"tail"|"head_tail"|"priority"|"pipeline" of `abridge.cut`, streams ("auto" unless set)
---  and pages ("head" unless set) alone
---@field head_ratio? number share of the budget for the head, 0 to 1 (`head_tail`); 0.3 unless set, 0.7 in `auto`
---@field snap? "line"|"char" where a `head_tail` may cut
---@field marker? "inside"|"outside"|"none" whether the omission marker counts in the budget
---@field marker_text? string with {lines}, {bytes}, {chars} for what was left out
---@field kind? abridge.Kind what the text is, for `auto`; told by its bytes unless set
---@field hits? table what `priority` looks for besides, and groups of words that it does not
---@field indicators? boolean headings around a pipeline cut by lines

---@class (exact) abridge.CutOptions: abridge.PlainCutOptions
---@field clean? boolean|table<string, boolean> make of it what a terminal would show; false keeps a kind of noise
---@field redact? (fun(line: string): string)|(string|string[])[] a function of whole lines, or Lua patterns

---@class (exact) abridge.StreamOptions: abridge.CutOptions
---@field full_output? { dir: string, name: string }|false where all of it goes once a byte is about to be lost

---@class (exact) abridge.PipelineOptions One of the two limits is required.
---@field max_chars? integer
---@field max_lines? integer
---@field head_ratio? number 0.3 unless set
---@field indicators? boolean headings around a cut by lines
---@field clean? boolean|table<string, boolean> as of other cuts
---@field redact? (fun(line: string): string)|(string|string[])[] as of other cuts

---@class (exact) abridge.KeptRange 1-based and inclusive.
---@field first_byte integer
---@field last_byte integer
---@field first_line integer
---@field last_line integer

---@class (exact) abridge.Item How many parts of something a cut keeps; one that shows in part counts.
---@field unit "elements"|"members"|"chars"|"records"|"rows"|"commits"|"files"|"hunks"
---@field of? string JSON pointer; "" is the root
---@field total integer
---@field kept integer
---@field first? integer on a page of JSON, the index of the first element that shows, from 0

---@class (exact) abridge.Part A run of whole lines of one kind, of an output of several commands.
---@field kind abridge.Kind
---@field first_line integer
---@field last_line integer
---@field output_lines? integer those of its lines that are kept at least in part; of a cut

---@class abridge.Cut The ledger: what was kept of a text. Plain data.
---@field strategy "auto"|"head"|"tail"|"head_tail"|"priority"|"pipeline"
---@field kind? abridge.Kind of `auto`
---@field items? abridge.Item[] of `auto`, at most 16; for JSON by omitted bytes, the largest first
---@field parts? abridge.Part[] of `auto`, of an output of several commands: 2 to 16, in order
---@field truncated boolean more than a final newline was left out
---@field truncated_by? "lines"|"bytes"|"chars"|"tokens"
---@field total_lines integer of the text, exact
---@field total_bytes integer
---@field total_chars? integer with `max_chars`
---@field raw_bytes? integer of the text before it was cleaned
---@field output_lines integer of the text kept; a line cut anywhere counts once
---@field output_bytes integer markers do not count
---@field output_chars? integer with `max_chars`
---@field chars_before? integer of the text before the first range that is kept, with `max_chars`
---@field omitted_lines integer
---@field omitted_bytes integer
---@field kept abridge.KeptRange[] ascending; these and the gaps between them tile the text
---@field markers? { first_byte: integer, last_byte: integer }[] where in the content the omission markers stand
---@field hits? { found: integer, kept: integer } of `priority` and of a log, in lines
---@field failures? { found: integer, kept: integer } the same, each failure with all its lines counted once
---@field last_line_partial boolean a kept part ends (head) or begins (tail) inside a line
---@field first_line_exceeds_limit boolean `head` kept nothing, as line 1 alone is over budget
---@field line_bytes? integer size of the line at the cut edge that was split or left out
---@field invalid_bytes? integer that show as U+FFFD
---@field final_newline? true all but a final newline fitted
---@field compact? true blanks between values of JSON are left out; if nothing else is, `truncated` is false
---@field shown_bytes? integer if `compact`: of the content, without markers
---@field max_lines? integer the budgets given, in numbers
---@field max_bytes? integer
---@field max_chars? integer
---@field max_tokens? integer
---@field full_output_path? string
---@field full_output_bytes? integer on disk
---@field full_output_error? string why it is short or missing
---@field full_output_code? string such as "ENOSPC"

---@class abridge.Stream A text that comes in chunks, cut as one. Misuse of a method raises.
---@field write fun(self: abridge.Stream, chunk: string): true|nil, string|nil, string|nil
---@field snapshot fun(self: abridge.Stream, narrower: abridge.CutOptions|nil): string, abridge.Cut it stays open
---@field read_fd fun(self: abridge.Stream, fd: integer, most: integer|nil): integer|nil, string|nil, string|nil
---@field finish fun(self: abridge.Stream, narrower: abridge.CutOptions|nil): string, abridge.Cut
---@field preview fun(self: abridge.Stream, text: string) what snapshots show after what was written
---@field close fun(self: abridge.Stream) idempotent; the collector closes too

---@class (exact) abridge.LocationsOptions
---@field max_lines? integer lines to look at, 1 or more; all unless set
---@field from? abridge.LocationsFrom where the call before ended; the text's start unless set

---@class (exact) abridge.LocationsFrom Where a search goes on: what `abridge.locations` returned, for the same text.
---@field byte integer first byte of the next line
---@field line integer its number
---@field heading integer bytes up to the end of the line that names the file of the rows after it; 0 if there is none

---@class (exact) abridge.Location A place that a line of a text points at.
---@field line integer of the text
---@field file string as it is written there
---@field lnum integer line of the file
---@field col? integer
---@field severity? "error"|"warning"|"note"
---@field message string without file, place, level and code; "" if there is none

---@class abridge.Core
---@field version string
---@field lua_version string the Lua that it was built for, such as "5.1"
---@field portable boolean built to do without what Linux alone has
---@field head fun(text: string, opts: abridge.CutOptions): string, abridge.Cut
---@field tail fun(text: string, opts: abridge.CutOptions): string, abridge.Cut
---@field head_tail fun(text: string, opts: abridge.CutOptions): string, abridge.Cut
---@field auto fun(text: string, opts: abridge.CutOptions): string, abridge.Cut as what the text is
---@field kind fun(text: string): abridge.Kind, abridge.Part[]|nil
---@field kinds { name: abridge.Kind, shows_end: boolean, is_option: boolean }[] the register of kinds
---@field magic fun(start: string): string|nil media type; nil for text and for what is not known
---@field is_binary fun(start: string, whole: boolean|nil): boolean|nil nil: it takes more of the start
---@field priority fun(text: string, opts: abridge.CutOptions): string, abridge.Cut
---@field cut fun(text: string, opts: abridge.CutOptions): string, abridge.Cut
---@field pipeline fun(text: string, opts: abridge.PipelineOptions): string, abridge.Cut
---@field line fun(s: string, max_chars: integer, match: integer[]|nil): string, boolean
---@field locations fun(text: string, opts: abridge.LocationsOptions|nil): abridge.Location[], abridge.LocationsFrom|nil
---@field stream fun(opts: abridge.StreamOptions): abridge.Stream
---@field clean fun(text: string, opts: table<string, boolean>|nil): string, table<string, integer>
---@field index fun(): userdata what pages of files share
---@field count_lines fun(text: string): integer
---@field count_chars fun(text: string): integer, integer chars, and those that are bytes outside UTF-8
---@field estimate_tokens fun(text: string): integer
---@field format_size fun(bytes: integer): string
---@field parse_size fun(value: any): integer|nil bytes

---@type abridge.Core
local core = ...
return core
