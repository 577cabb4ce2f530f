--- The address of the project, in one place. A fork changes it here; a test lists the other files that have it.
return "https://github.com/abridge-tools/abridge"
