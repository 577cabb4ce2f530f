--- Where the project lives: the one place for its address. A fork changes it here; a test lists what else has it.
return "https://github.com/abridge-tools/abridge"
