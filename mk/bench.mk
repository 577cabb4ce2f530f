# What is measured: speed, pauses, the token estimate, what a cut keeps, memory over hours.

tokenizer_version := 3.4.0# of gpt-tokenizer, for bench-tokens alone
pi_version := 0.73.1# of @mariozechner/pi-coding-agent, for bench alone
NPM ?= npm

.PHONY: bench bench-check bench-tell bench-families bench-pause bench-tokens score score-kinds soak

bench: build build/bench/pipe build/bench/limit.so build/bench/pi.txt ## measure ours, rivals and limits in one run, 7 minutes; BENCH="cuts pages" is a part, gateway one apart
	@LUA_PATH="lua/?.lua;lua/?/init.lua;bench/?.lua;;" LUA_CPATH="build/5.4/?.so;build/bench/?.so;;" $(LUA) bench/run.lua $(BENCH)

bench-check: build/libabridge.a ## fail where calls of a fixed set take 5 % more instructions than before this branch
	@CC="$(CC)" bench/check/compare.sh

bench-tell: build/bench/tell ## measure how long kinds take to tell, fail over 2 ms
	@build/bench/tell

bench-families: build/bench/families ## measure texts of a hundred families under small and large budgets, 8 minutes; FAMILIES="json csv" is a part
	@build/bench/families $(FAMILIES)

bench-pause: build ## measure how long our callbacks run, and Neovim's main loop stands still, while each tool does something big
	@LUA_PATH="lua/?.lua;lua/?/init.lua;spec/?.lua;bench/?.lua;;" LUA_CPATH="build/5.1/?.so;;" nvim --headless -u NONE -i NONE -n \
		--cmd 'set shada=' -c 'luafile bench/pause.lua'

bench-tokens: build build/tokens/samples.tsv ## measure the token estimate against o200k_base (wants node and npm)
	@$(with_paths) $(LUA) bench/tokens.lua build/tokens

score: build ## what a reader needs of logs, mixed outputs and sessions, left by our cut and the usual ones; DOC=1 updates the documents
	@$(with_paths) $(LUA) bench/score.lua $(if $(DOC),--doc)

score-kinds: build ## cut outputs of every kind (KINDS_CORPUS=folder) and made ones: kinds, rules broken, needles, key paths, hunks
	@$(with_paths) $(LUA) bench/score/kinds.lua $(if $(FAULTS),--faults)

soak: build ## gigabytes, on one line too, 100,000 calls, 1,000 runs, a million blocks, kills: memory flat, totals exact (SOAK=0.01: less)
	@$(with_paths) $(LUA) spec/soak/soak.lua

build/bench/pipe: $(OBJ)/c/bench/pipe.o build/libabridge.a
	$(call link)

build/bench/tell: $(OBJ)/c/bench/tell.o build/libabridge.a
	$(call link)

build/bench/families: $(OBJ)/c/bench/families.o build/libabridge.a
	$(call link)

build/bench/limit.so: $(OBJ)/5.4/bench/limit.o build/libabridge.a
	$(call link,$(filter-out -Wl%,$(module_ldflags)))

# A rival. Where it cannot be had the benchmark says why and goes on; what was tried is tried again the next time.
.PHONY: build/bench/pi.txt
build/bench/pi.txt:
	@mkdir -p $(@D)
	@bench/run/pi.sh $(@D)/pi "$(NPM)" $(pi_version) > $@

# The corpus and its counts are made once; `rm -r build/tokens` has them made anew.
build/tokens/samples.tsv: bench/tokens.mjs
	@mkdir -p $(@D)
	@for tool in node npm; do command -v $$tool > /dev/null || { \
		echo "bench-tokens: no $$tool here: install nodejs and npm (apt-get install nodejs npm)" >&2; exit 1; }; done
	@cd $(@D) && { test -d node_modules/gpt-tokenizer || npm install --silent --no-audit --no-fund --no-save \
		gpt-tokenizer@$(tokenizer_version); } || { echo "bench-tokens: npm could not install gpt-tokenizer" >&2; exit 1; }
	@echo "  counting tokens of what this machine has"
	@node bench/tokens.mjs $(@D)
