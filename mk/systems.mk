# Other compilers' flags, C libraries and processors.

.PHONY: check-systems

check-systems: $(amalgam_c) build/test/plain/digests ## run the C tests and compare cuts on a dozen odd systems, 32-bit and big-endian too; SYSTEMS="i686 musl"
	@mk/systems.sh $(SYSTEMS)
