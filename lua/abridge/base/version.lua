--- The version of these Lua files: that of csrc/abridge.h and of the rock, since only one core goes with them.
return "0.3.0"
