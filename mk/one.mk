# The command as one static file for Linux: Lua, luv, libuv and lua-cjson of Debian's sources, the core, and our Lua as
# stripped bytecode. The same bytes wherever it is built with the same tools.

one_src := $(or $(ONE_SOURCES),build/one/src)
one_machines := $(or $(MACHINES),$(shell uname -m))

.PHONY: one-file one-sources

one-file: one-sources ## build the command as one static file, build/one/MACHINE/abridge, licences beside it; MACHINES="x86_64 aarch64"
	@$(MAKE) --no-print-directory build/one/lua
	@$(foreach machine,$(one_machines),$(MAKE) --no-print-directory build/one/$(machine)/abridge build/one/$(machine)/LICENSES \
		JOINED=1 CC=$(dist_cc_$(machine)) OBJ=build/obj/one/$(machine) CFLAGS="$(one_flags)" LUA_INCDIR_5_4=$(one_src)/lua/src &&) :

one-sources:
	@mk/one/sources.sh $(one_src)

one_flags = $(DIST_CFLAGS) -DABR_HIDDEN -ffunction-sections -fdata-sections -ffile-prefix-map=$(CURDIR)=. \
	-ffile-prefix-map=$(abspath $(one_src))=build/one/src

# What is in it of others. libuv's files are those of Linux in its CMakeLists.txt.
one_lua := $(filter-out lua luac,$(notdir $(basename $(wildcard $(one_src)/lua/src/*.c))))
one_cjson := lua_cjson strbuf fpconv
one_libuv := $(addprefix unix/,async core dl fs getaddrinfo getnameinfo linux loop loop-watcher pipe poll process \
	procfs-exepath proctitle random-devurandom random-getrandom random-sysctl-linux signal stream tcp thread tty udp) \
	fs-poll idna inet random strscpy strtok thread-common threadpool timer uv-common uv-data-getter-setters version
one_others := $(one_lua:%=lua/src/%) $(one_cjson:%=cjson/%) $(one_libuv:%=libuv/src/%) luv/src/luv
one_defines := -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DLUA_USE_POSIX -DNDEBUG
one_includes := $(addprefix -I$(one_src)/,lua/src libuv/include libuv/src luv/src)

# The command, and tools, which are named by what is asked for.
one_modules := abridge.cli $(patsubst lua/abridge/tools/%.lua,abridge.tools.%,$(sort $(wildcard lua/abridge/tools/*.lua)))

build/one/lua: $(wildcard $(one_src)/lua/src/*.c)
	@mkdir -p $(@D)
	$(call say,cc)
	$(Q)$(CC) -O1 -w -DLUA_USE_POSIX -o $@ $(filter-out %/luac.c,$^) -lm

build/one/modules.bin: build/one/lua mk/one/pack.lua $(wildcard lua/abridge/*.lua lua/abridge/*/*.lua)
	$(call say,pack)
	$(Q)LUA_INIT= LUA_INIT_5_4= build/one/lua mk/one/pack.lua $@ build/one/modules.inc $(one_modules)

$(OBJ)/others/%.o: $(one_src)/%.c mk/one.mk
	@mkdir -p $(@D)
	$(call say,cc,$*)
	$(Q)$(CC) -std=gnu11 $(CFLAGS) -w $(one_defines) $(one_includes) -c -o $@ $<

$(OBJ)/one/main.o: mk/one/main.c build/one/modules.bin
	@mkdir -p $(@D)
	$(call say,cc,$<)
	$(Q)$(CC) $(FLAGS) -isystem $(one_src)/lua/src -DABR_ONE_BYTES='"build/one/modules.bin"' \
		-DABR_ONE_TABLE='"$(CURDIR)/build/one/modules.inc"' -c -o $@ $<

# The linker warns that the names of users and hosts are looked up by libraries of the system, where these are.
build/one/%/abridge: $(OBJ)/one/main.o $(call binding_for,5.4) $(core_obj) $(one_others:%=$(OBJ)/others/%.o)
	@mkdir -p $(@D)
	$(call say,link)
	$(Q)$(CC) -static -s -Wl,--gc-sections -Wl,--build-id=none -o $@ $(sort $^) -lm -lpthread -ldl 2> $(OBJ)/link.log || \
		{ cat $(OBJ)/link.log >&2; exit 1; }

build/one/%/LICENSES: LICENSE mk/one/licences.sh
	@mkdir -p $(@D)
	$(Q)mk/one/licences.sh $(one_src) > $@~ && mv $@~ $@
